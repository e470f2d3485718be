/* What onnxruntime's classes ask of each other. */
#import "GMError.h"
#import "onnxruntime_training.h"

@interface ORTValue ()
/* Wraps numbers that the runtime gave. */
+ (instancetype)valueWithFloats:(NSData *)floats shape:(NSArray *)shape;

/* Returns the numbers as a session takes them: an NSData of float or int32_t, or an NSArray of NSNumber. */
- (id)numbers;
@end

@interface ORTCheckpoint ()
/* Sets the state of a session to this one, and becomes that session's. */
- (BOOL)attachToSession:(GMSession *)session error:(NSError **)error;
@end
