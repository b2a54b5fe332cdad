#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Runs the hook with what the user typed. system(command) would need quoting. */
int notify(const char *hook)
{
	char line[128];

	if (fgets(line, sizeof line, stdin) == NULL)
		return -1;
	line[strcspn(line, "\n")] = '\0';
	if (system("command -v notify-send >/dev/null") != 0)
		return -1;
	return execl("/usr/lib/notify/hook", "hook", "--text", line, (char *)NULL);
}

int seal(EVP_CIPHER_CTX *ctx, const unsigned char *key, const unsigned char *iv)
{
	return EVP_EncryptInit_ex(ctx, EVP_aes_256_gcm(), NULL, key, iv);
}
