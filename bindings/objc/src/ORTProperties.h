#import "GMError.h"

/* Properties of any length, after a checkpoint in its file (docs/SPEC.md, "Properties after a
 * checkpoint"): NSNumber of int64_t or float, and NSString, by name. */

/* Returns the bytes that follow the checkpoint; none for an empty dictionary. */
NSData *ORTPackedProperties(NSDictionary *properties);

/* Returns the properties after the checkpoint in a file; an empty dictionary if there are none, or if
 * it is an image. Returns nil, and sets *error, if they are damaged. */
NSMutableDictionary *ORTUnpackedProperties(NSData *file, NSError *__autoreleasing *error);
