#include <stdlib.h>
#include <time.h>

struct session {
	time_t expires;
	char *token;
	struct session *next;
};

static struct session *sessions;

/* Forgets the sessions that have expired. */
void sessions_expire(time_t now)
{
	struct session **p = &sessions;
	struct session *s;

	for (s = sessions; s != NULL; s = s->next) {
		if (s->expires > now) {
			p = &s->next;
			continue;
		}
		*p = s->next;
		free(s->token);
		free(s); /* want high "after it was freed" */
	}
}
