#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

enum { MAX_PAYLOAD = 512 };

struct frame {
	uint16_t type;
	uint16_t length;
	uint8_t payload[MAX_PAYLOAD];
};

/* Reads the next frame of a peer. Returns 0, or -1 at the end. */
int frame_read(int fd, struct frame *f)
{
	uint8_t header[4];
	uint16_t field;

	if (recv(fd, header, sizeof header, MSG_WAITALL) != sizeof header)
		return -1;
	memcpy(&field, header, sizeof field);
	f->type = ntohs(field);
	memcpy(&field, header + 2, sizeof field);
	f->length = ntohs(field);
	if (recv(fd, f->payload, f->length, MSG_WAITALL) != f->length) /* want high "length" */
		return -1;
	return 0;
}
