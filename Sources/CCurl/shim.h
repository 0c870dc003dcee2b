// The one door to libcurl. Its setters take any number of arguments of any type, which Swift does not import.
#include <stddef.h>

#include <curl/curl.h>

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

/// Seconds until each answer of the server. Older versions know the option by another name.
static inline CURLcode ccurl_set_answer_timeout(CURL *handle, long seconds) {
    return curl_easy_setopt(handle, CURLOPT_FTP_RESPONSE_TIMEOUT, seconds);
}

typedef size_t (*ccurl_reader)(char *buffer, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_reader(CURL *handle, ccurl_reader reader, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, reader);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_READDATA, context);
}

typedef int (*ccurl_progress)(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

static inline CURLcode ccurl_set_progress(CURL *handle, ccurl_progress progress, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}

typedef size_t (*ccurl_writer)(char *buffer, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_writer(CURL *handle, ccurl_writer writer, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

typedef curl_socket_t (*ccurl_opener)(void *context, curlsocktype purpose, struct curl_sockaddr *address);

/// What opens the socket of a connection to an address.
static inline CURLcode ccurl_set_opener(CURL *handle, ccurl_opener opener, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, opener);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
}

/// Where the address begins. It is longer than the declared member.
static inline long ccurl_sockaddr_offset(void) {
    return offsetof(struct curl_sockaddr, addr);
}

typedef int (*ccurl_beginner)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);

/// What is called when there is a connection, before the request is sent.
static inline CURLcode ccurl_set_beginner(CURL *handle, ccurl_beginner beginner, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, beginner);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}

typedef int (*ccurl_observer)(CURL *handle, curl_infotype type, char *data, size_t size, void *context);

/// What is called with the commands and the replies of the protocol.
static inline CURLcode ccurl_set_observer(CURL *handle, ccurl_observer observer, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, observer);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_DEBUGDATA, context);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_VERBOSE, 1L);
}

/// Of the length that CURLOPT_POSTFIELDSIZE has set.
static inline CURLcode ccurl_copy_body(CURL *handle, const void *body) {
    return curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, body);
}

/// Seconds; 0 without the header.
static inline long ccurl_retry_after(CURL *handle) {
    curl_off_t seconds = 0;
    return curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK ? (long)seconds : 0;
}

static inline long ccurl_response_code(CURL *handle) {
    long code = 0;
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code) == CURLE_OK ? code : 0;
}
