/* What onnxruntime's classes ask of each other. */
#import "GMError.h"
#import "onnxruntime_training.h"

@interface ORTValue ()
/* Wraps numbers of a dtype that the runtime gave. Returns nil where onnxruntime has no such type here. */
+ (instancetype)valueWithNumbers:(NSData *)numbers dtype:(GMDType)dtype shape:(NSArray *)shape error:(NSError **)error;

/* Returns whether a tensor takes numbers of this type. Those of 64 bits go one by one. */
- (BOOL)fits:(GMTensor *)tensor;

/* Returns the numbers as a session takes them: an NSData, or an NSArray of NSNumber. */
- (id)numbers;
@end

@interface ORTCheckpoint ()
/* Sets the state of a session to this one, and becomes that session's. */
- (BOOL)attachToSession:(GMSession *)session error:(NSError **)error;
@end
