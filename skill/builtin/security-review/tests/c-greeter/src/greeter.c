#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct greeting {
	char name[64];
	char text[128];
};

static int greet(struct greeting *g, const char *format)
{
	if (strlen(format) == 0)
		return -1;
	printf(format); /* want high "format" */
	return 0;
}

int main(int argc, char **argv)
{
	struct greeting g;
	char answer[16];

	if (argc < 2)
		return 2;
	strcpy(g.name, argv[1]); /* want high "copied into a buffer" */
	printf("Hello %s, again? ", g.name);
	if (scanf("%s", answer) != 1) /* want high "unbounded read" */
		return 1;
	sprintf(g.text, "%s says hello", getenv("USER")); /* want high "copied into a buffer" */
	if (greet(&g, g.text) < 0)
		system(argv[1]); /* want high "command" */
	return 0;
}
