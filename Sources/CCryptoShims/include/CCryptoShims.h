#pragma once
#include <openssl/cms.h>
#include <openssl/x509.h>

// One-line functions for libcrypto macros that Swift's importer cannot see.

STACK_OF(X509) *attest_x509_stack_new(void);
int attest_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate);
int attest_x509_stack_count(const STACK_OF(X509) *stack);
X509 *attest_x509_stack_value(const STACK_OF(X509) *stack, int index);
void attest_x509_stack_free(STACK_OF(X509) *stack);
int attest_cms_signer_count(const STACK_OF(CMS_SignerInfo) *stack);
CMS_SignerInfo *attest_cms_signer_value(const STACK_OF(CMS_SignerInfo) *stack, int index);
void attest_openssl_free(void *memory);
