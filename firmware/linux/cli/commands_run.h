/* The commands of gradmote-run: each takes the arguments after its name, and returns the exit
 * code. */
#ifndef COMMANDS_RUN_H
#define COMMANDS_RUN_H

int run_train(int argc, char **argv);
int run_eval(int argc, char **argv);
int run_infer(int argc, char **argv);
int run_info(int argc, char **argv);
int run_console(int argc, char **argv);

#endif
