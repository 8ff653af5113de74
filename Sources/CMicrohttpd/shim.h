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

/// MHD_start_daemon with what is needed where answers come later; options as for
/// attest_start_daemon.
static inline struct MHD_Daemon *attest_start_exchange_daemon(
    unsigned int flags, MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback connected, void *closure, struct MHD_OptionItem *options)
{
    return MHD_start_daemon(flags, 0, NULL, NULL, handler, closure,
                            MHD_OPTION_NOTIFY_COMPLETED, completed, closure,
                            MHD_OPTION_NOTIFY_CONNECTION, connected, closure,
                            MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

/// Who is connected; valid as long as the connection.
static inline const struct sockaddr *attest_client_address(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

/// What MHD_OPTION_NOTIFY_CONNECTION's callback left for the connection.
static inline void *attest_socket_context(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/// The connection's socket, -1 where it has none.
static inline int attest_connection_socket(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}
