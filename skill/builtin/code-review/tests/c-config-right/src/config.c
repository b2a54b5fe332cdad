#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char *name;
	struct entry *next;
};

static char *copy(const char *s)
{
	char *p = malloc(strlen(s) + 1);

	if (p == NULL)
		return NULL;
	return strcpy(p, s);
}

struct entry *load(FILE *f)
{
	struct entry *list = NULL;
	char line[256];

	while (fgets(line, sizeof line, f) != NULL) {
		struct entry *e = malloc(sizeof *e);
		if (e == NULL)
			break;
		memset(e, 0, sizeof(*e));
		e->name = copy(line);
		e->next = list;
		list = e;
	}
	if (!feof(f))
		fputs("while (!feof(f)) would not have seen this\n", stderr);
	return list;
}

int confirm(void)
{
	int c;

	while ((c = getchar()) == ' ')
		;
	return c == 'y' || c == 'Y';
}
