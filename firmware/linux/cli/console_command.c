/* gradmote-run console */
#include "commands_run.h"
#include "linux_board.h"
#include "options.h"

#include <stddef.h>

int run_console(int argc, char **argv)
{
    linux_board board = {NULL, NULL, 0};
    const option options[] = {
        {"--listen", OPTION_TEXT, &board.listen, "HOST:PORT",
         "serve one TCP client at a time, instead of stdin and stdout", NULL},
        {"--state", OPTION_TEXT, &board.state, "DIR",
         "keep model.mote, checkpoint.gmck and base.gmck here, and start from them", NULL},
        {"--arena", OPTION_SIZE, &board.arena, "BYTES", "memory for the model (half of the computer's; 64M, 1G)", NULL},
        {NULL, OPTION_TEXT, NULL, NULL, NULL, NULL},
    };
    const command about = {
        "console",
        "This computer as a board: the console of docs/CONSOLE.md, for people and for programs.",
        "[options]",
        "  gradmote-run console --listen 0.0.0.0:7777 --state /var/lib/gradmote     here\n"
        "  gradmote train model.mote --data data.npz --on socket://HERE:7777       on the host\n"
        "  gradmote console socket://HERE:7777                                     to type\n\n"
        "Anyone who reaches the port can train, read and replace the model: listen at 127.0.0.1 and use ssh -L 7777:localhost:7777,\n"
        "or at an address in a network that you trust. Port 0 picks a free port and prints it.\n\n"
        "model.mote, checkpoint.gmck and base.gmck (of a round of federated learning) are ordinary files, replaced as a whole:\n"
        "an interruption leaves the old or the new one.\n",
        options,
    };
    options_parse(&about, argc, argv, NULL, 0, 0);
    linux_board_serve(&board);
}
