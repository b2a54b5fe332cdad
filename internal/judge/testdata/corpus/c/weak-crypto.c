#include <string.h>

#include <openssl/des.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/rc4.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>

void hash_password(const char *password, unsigned char out[MD5_DIGEST_LENGTH])
{
    // ruleid: weak-crypto
    MD5((const unsigned char *)password, strlen(password), out);
}

int hash_password_new(const char *password, const unsigned char *salt, unsigned char out[32])
{
    // ok: weak-crypto
    return PKCS5_PBKDF2_HMAC(password, (int)strlen(password), salt, 16, 600000, EVP_sha256(), 32, out);
}

int check_password(const char *password, const unsigned char *stored)
{
    unsigned char sum[SHA_DIGEST_LENGTH];

    // ruleid: weak-crypto
    SHA1((const unsigned char *)password, strlen(password), sum);
    return memcmp(sum, stored, sizeof(sum)) == 0;
}

void etag(const unsigned char *body, size_t len, unsigned char out[MD5_DIGEST_LENGTH])
{
    // ok: weak-crypto
    MD5(body, len, out);
}

void blob_name(const unsigned char *blob, size_t len, unsigned char out[SHA_DIGEST_LENGTH])
{
    // ok: weak-crypto
    SHA1(blob, len, out);
}

void seal_des(DES_key_schedule *ks, const unsigned char *in, unsigned char *out, long len, DES_cblock *iv)
{
    // ruleid: weak-crypto
    DES_ncbc_encrypt(in, out, len, ks, iv, DES_ENCRYPT);
}

int seal_ecb(EVP_CIPHER_CTX *ctx, const unsigned char *key)
{
    // ruleid: weak-crypto
    return EVP_EncryptInit_ex(ctx, EVP_aes_128_ecb(), NULL, key, NULL);
}

int seal_gcm(EVP_CIPHER_CTX *ctx, const unsigned char *key, const unsigned char *iv)
{
    // ok: weak-crypto
    return EVP_EncryptInit_ex(ctx, EVP_aes_256_gcm(), NULL, key, iv);
}

void seal_rc4(const unsigned char *key, int len, const unsigned char *in, size_t n, unsigned char *out)
{
    RC4_KEY rc4;

    // ruleid: weak-crypto
    RC4_set_key(&rc4, len, key);
    RC4(&rc4, n, in, out);
}

SSL_CTX *old_context(void)
{
    // ruleid: weak-crypto
    return SSL_CTX_new(TLSv1_method());
}

SSL_CTX *context(void)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_method());

    // ok: weak-crypto
    SSL_CTX_set_options(ctx, SSL_OP_NO_SSLv2 | SSL_OP_NO_SSLv3 | SSL_OP_NO_TLSv1);
    // ok: weak-crypto
    SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
    return ctx;
}

void ciphers(SSL_CTX *ctx)
{
    // ok: weak-crypto
    SSL_CTX_set_cipher_list(ctx, "HIGH:!aNULL:!MD5:!RC4:!DES:!3DES");
}

void old_ciphers(SSL_CTX *ctx)
{
    // ruleid: weak-crypto
    SSL_CTX_set_cipher_list(ctx,
                            "RC4-SHA:DES-CBC3-SHA:EXP-RC4-MD5");
}
