#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <openssl/rand.h>

static const char ALPHABET[] = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

void session_token(char *token, size_t len)
{
    // ruleid: predictable-random
    snprintf(token, len, "%08x%08x", (unsigned)rand(), (unsigned)rand());
}

int session_token_strong(unsigned char token[32])
{
    // ok: predictable-random
    return RAND_bytes(token, 32);
}

void make_password(char *password, size_t len)
{
    for (size_t i = 0; i + 1 < len; i++) {
        // ruleid: predictable-random
        password[i] = ALPHABET[rand() % (sizeof(ALPHABET) - 1)];
    }
    password[len - 1] = '\0';
}

void make_key(uint8_t key[16])
{
    srand((unsigned)time(NULL));
    for (int i = 0; i < 16; i++) {
        // ruleid: predictable-random
        key[i] = (uint8_t)(rand() & 0xff);
    }
}

ssize_t make_key_strong(uint8_t key[16])
{
    // ok: predictable-random
    return getrandom(key, 16, 0);
}

void make_nonce(unsigned char nonce[8])
{
    srandom((unsigned)getpid());
    for (int i = 0; i < 8; i++) {
        // ruleid: predictable-random
        nonce[i] = (unsigned char)random();
    }
}

int reset_code(void)
{
    // ruleid: predictable-random
    int reset_code = 100000 + (int)(drand48() * 900000);
    return reset_code;
}

int dice(void)
{
    // ok: predictable-random
    return 1 + rand() % 6;
}

void backoff(int attempt)
{
    // ok: predictable-random
    usleep((1u << attempt) * 1000u + (unsigned)(rand() % 1000));
}

void shuffle(int *deck, int n)
{
    for (int i = n - 1; i > 0; i--) {
        // ok: predictable-random
        int j = rand() % (i + 1);
        int t = deck[i];
        deck[i] = deck[j];
        deck[j] = t;
    }
}
