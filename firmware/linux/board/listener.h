/* A TCP port that serves one client at a time. */
#ifndef LISTENER_H
#define LISTENER_H

/* address: "127.0.0.1:7777", "[::1]:7777"; port 0 takes a free one, and says which on stderr. Ends the program where
 * that is no address, or the port is taken. */
int listener_open(const char *address);

/* A new client, or -1. busy: there is one already, and the new one is told so and sent away. */
int listener_accept(int listener, int busy);

#endif
