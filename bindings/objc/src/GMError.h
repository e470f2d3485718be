/* What the classes share: errors of the runtime's table, and memory with and without automatic reference counting. */
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

/* Sets *error, where error is not NULL, to what the table says of the code. where: what was done, and with what.
 * Returns NO. */
BOOL GMFail(int64_t code, NSString *where, NSError *__autoreleasing *error);

/* Returns whether the code is none of an error; sets *error otherwise. */
BOOL GMCheck(int64_t code, NSString *where, NSError *__autoreleasing *error);

/* The same with other texts, for what the runtime does not know of. Returns NO. */
BOOL GMFailWithText(int code, NSString *text, NSString *hint, NSError *__autoreleasing *error);
