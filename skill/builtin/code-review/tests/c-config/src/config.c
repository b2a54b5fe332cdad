#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char *name;
	struct entry *next;
};

static char *copy(const char *s)
{
	char *p = malloc(strlen(s)); /* want high "terminating zero" */

	if (p == NULL)
		return NULL;
	return strcpy(p, s);
}

struct entry *load(FILE *f)
{
	struct entry *list = NULL;
	char line[256];

	while (!feof(f)) { /* want medium "end of file too early" */
		struct entry *e = malloc(sizeof *e);
		memset(e, sizeof(*e), 0); /* want high "swapped" */
		fgets(line, sizeof line, f);
		e->name = copy(line);
		if (e->next = NULL) /* want high "assigns a constant" */
			e->next = list;
		list = e;
	}
	return list;
}

int confirm(void)
{
	char c = getchar(); /* want medium "end-of-file value" */

	return c == 'y' || c == 'Y';
}
