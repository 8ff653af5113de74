#pragma once
#include <microhttpd.h>

// MHD_start_daemon and MHD_get_connection_info take a variable number of arguments, which Swift
// can't pass.

/// MHD_start_daemon with options from an array that ends with MHD_OPTION_END.
static inline struct MHD_Daemon *attest_start_daemon(
    unsigned int flags, MHD_AccessHandlerCallback handler, void *closure,
    struct MHD_OptionItem *options)
{
    return MHD_start_daemon(flags, 0, NULL, NULL, handler, closure,
                            MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

/// MHD_start_daemon for HTTPS on a thread for each connection; `completed` frees what a request has.
static inline struct MHD_Daemon *attest_start_https_daemon(
    unsigned int flags, MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed,
    void *closure, const char *certificate, const char *key, int listening)
{
    return MHD_start_daemon(flags, 0, NULL, NULL, handler, closure,
                            MHD_OPTION_LISTEN_SOCKET, listening,
                            MHD_OPTION_HTTPS_MEM_CERT, certificate,
                            MHD_OPTION_HTTPS_MEM_KEY, key,
                            MHD_OPTION_NOTIFY_COMPLETED, completed, closure,
                            MHD_OPTION_CONNECTION_LIMIT, 64u,
                            MHD_OPTION_END);
}
