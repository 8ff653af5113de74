internal import CCrypto

/// The version of the libcrypto that is loaded: `3.0.17`.
package let libcryptoVersion = String(cString: OpenSSL_version(OPENSSL_FULL_VERSION_STRING))
