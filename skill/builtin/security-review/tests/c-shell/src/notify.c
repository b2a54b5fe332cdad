#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

/* Runs a hook with what the user typed. */
int notify(const char *hook)
{
	char line[128];
	char command[256];

	gets(line); /* want high "past the end" */
	snprintf(command, sizeof command, "%s '%s'", hook, line);
	return system(command); /* want medium "shell command" */
}

int seal(EVP_CIPHER_CTX *ctx, const unsigned char *key)
{
	return EVP_EncryptInit_ex(ctx, EVP_aes_256_ecb(), NULL, key, NULL); /* want medium "cipher or mode" */
}
