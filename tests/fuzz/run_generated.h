/* Generated images on this processor: opened, run in guarded memory, and made into one number each. */
#ifndef RUN_GENERATED_H
#define RUN_GENERATED_H

#include <stdint.h>

/* How much is said: a line a block; a line before and after each image too; each instruction too. The last one reads
 * beside each arena, which is to fault: it shows that the guards are there. */
enum detail { DETAIL_BLOCKS, DETAIL_IMAGES, DETAIL_INSTRUCTIONS, DETAIL_TRESPASS };

/* What is asked of a program that runs images. */
typedef struct order {
    uint32_t first, count, block; /* seeds; how many of them make a block */
    uint32_t detail;
} order;

/* Runs them and says, in lines of a word and numbers:
 *   block FIRST COUNT ACCEPTED DIGEST         of each block
 *   opcode CODE GENERATED ACCEPTED RUN        how often it was in an image, in an accepted one, and ran to its end
 *   done
 * With DETAIL_IMAGES, `seed SEED` before an image and `image STATUS DIGEST` after it; with DETAIL_INSTRUCTIONS the
 * words of each instruction before it runs, or `store CALL LABEL` before a call of the store, then
 * `returned STATUS DIGEST`, of the arena. Two processors of one numerics profile say the same. */
void run_generated(const order *o);

/* The program's own: writes text to whoever reads it, at once. */
void say(const char *text);

#endif
