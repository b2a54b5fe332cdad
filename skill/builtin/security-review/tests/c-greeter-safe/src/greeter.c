#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct greeting {
	char name[64];
	char text[128];
};

#define FORMAT "%s says hello\n"

/* strcpy(g->name, argv[1]) would write past the end. */
static int set_name(struct greeting *g, const char *name)
{
	int n = snprintf(g->name, sizeof g->name, "%s", name);

	return n < 0 || (size_t)n >= sizeof g->name ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct greeting g;
	char answer[16];

	if (argc < 2 || set_name(&g, argv[1]) < 0)
		return 2;
	printf("Hello %s, again? ", g.name);
	if (scanf("%15s", answer) != 1)
		return 1;
	strcpy(g.text, "nobody");
	snprintf(g.text, sizeof g.text, FORMAT, g.name);
	fputs(g.text, stdout);
	if (system("clear") != 0)
		fprintf(stderr, "%s\n", "cannot clear the screen");
	return 0;
}
