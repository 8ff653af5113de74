#pragma once
#include <openssl/x509.h>

// One-line functions for libcrypto macros that Swift's importer cannot see.

STACK_OF(X509) *attest_x509_stack_new(void);
int attest_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate);
int attest_x509_stack_count(const STACK_OF(X509) *stack);
X509 *attest_x509_stack_value(const STACK_OF(X509) *stack, int index);
void attest_x509_stack_free(STACK_OF(X509) *stack);
void attest_openssl_free(void *memory);
