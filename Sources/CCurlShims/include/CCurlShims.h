#pragma once
#include <curl/curl.h>

// libcurl's setters and getters take any number of arguments, which Swift's importer cannot call.

CURLcode attest_curl_set_long(CURL *handle, CURLoption option, long value);
CURLcode attest_curl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode attest_curl_set_pointer(CURL *handle, CURLoption option, const void *value);
CURLcode attest_curl_set_writer(CURL *handle, curl_write_callback callback, void *context);
CURLcode attest_curl_set_progress(CURL *handle, curl_xferinfo_callback callback, void *context);
CURLcode attest_curl_get_long(CURL *handle, CURLINFO info, long *value);
