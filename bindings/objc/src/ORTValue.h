/* Private methods that onnxruntime's classes share. */
#import "GMError.h"
#import "onnxruntime_training.h"

@interface ORTValue ()
/* Wraps the runtime's numbers of a dtype. Returns nil if onnxruntime has no such type here. */
+ (instancetype)valueWithNumbers:(NSData *)numbers dtype:(GMDType)dtype shape:(NSArray *)shape error:(NSError **)error;

/* Returns whether a tensor accepts numbers of this type. 64-bit numbers are converted one by
 * one. */
- (BOOL)fits:(GMTensor *)tensor;

/* Returns the numbers in a form that a session accepts: an NSData, or an NSArray of NSNumber. */
- (id)numbers;
@end

@interface ORTCheckpoint ()
/* Sets a session's state to this one; from then on this is that session's state. */
- (BOOL)attachToSession:(GMSession *)session ofImage:(NSString *)path error:(NSError **)error;
@end
