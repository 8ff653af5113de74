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

int attest_cms_signer_count(const STACK_OF(CMS_SignerInfo) *stack) {
    return sk_CMS_SignerInfo_num(stack);
}

CMS_SignerInfo *attest_cms_signer_value(const STACK_OF(CMS_SignerInfo) *stack, int index) {
    return sk_CMS_SignerInfo_value(stack, index);
}

void attest_openssl_free(void *memory) { OPENSSL_free(memory); }
