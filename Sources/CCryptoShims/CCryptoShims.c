#include "CCryptoShims.h"

#include <openssl/crypto.h>

STACK_OF(X509) *attest_x509_stack_new(void) { return sk_X509_new_null(); }

int attest_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}

int attest_x509_stack_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }

X509 *attest_x509_stack_value(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

void attest_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_free(stack); }

void attest_openssl_free(void *memory) { OPENSSL_free(memory); }
