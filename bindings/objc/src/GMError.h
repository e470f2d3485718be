/* Helpers that the classes share: errors from the runtime's table, and memory with and without
 * ARC. */
#import "GMSession.h"
#include "gm_handle.h"

#if __has_feature(objc_arc)
#define GM_AUTORELEASE(object) (object)
#define GM_RETAIN(object) (object)
#define GM_RELEASE(object) ((void)0)
#define GM_DEALLOC() ((void)0)
#else
#define GM_AUTORELEASE(object) [(object) autorelease]
#define GM_RETAIN(object) [(object) retain]
#define GM_RELEASE(object) [(object) release]
#define GM_DEALLOC() [super dealloc]
#endif

/* Sets *error, unless error is NULL, to the table's text for the code. where: the operation, and
 * its argument. Returns NO. */
BOOL GMFail(int64_t code, NSString *where, NSError *__autoreleasing *error);

/* Returns YES if the code is not an error; otherwise sets *error and returns NO. */
BOOL GMCheck(int64_t code, NSString *where, NSError *__autoreleasing *error);

/* As GMFail() with other texts, for errors that the runtime does not know. Returns NO. */
BOOL GMFailWithText(int code, NSString *text, NSString *hint, NSError *__autoreleasing *error);
