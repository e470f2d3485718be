/* A TCP port that serves one client at a time. */
#ifndef LISTENER_H
#define LISTENER_H

/* address: "127.0.0.1:7777", "[::1]:7777"; port 0 takes a free one, and prints it to stderr. Exits
 * if this is not an address, or the port is taken. */
int listener_open(const char *address);

/* Returns a new client, or -1. busy: there is a client already, so the new one gets a message and
 * is disconnected. */
int listener_accept(int listener, int busy);

#endif
