#import "GMSession.h"

NS_ASSUME_NONNULL_BEGIN

/// The types of a tensor's elements, as onnxruntime names them.
typedef NS_ENUM(int32_t, ORTTensorElementDataType) {
    ORTTensorElementDataTypeFloat = 1,
    ORTTensorElementDataTypeInt32 = 3,
};

/// A tensor, as onnxruntime's class of that name.
@interface ORTValue : NSObject {
  @package
    NSMutableData *_data;
    ORTTensorElementDataType _type;
}
- (nullable instancetype)initWithTensorData:(NSMutableData *)data
                                elementType:(ORTTensorElementDataType)type
                                      shape:(NSArray<NSNumber *> *)shape
                                      error:(NSError **)error;
- (nullable NSMutableData *)tensorDataWithError:(NSError **)error;
@end

/// The state of one training, as onnxruntime's class of that name.
@interface ORTCheckpoint : NSObject {
  @package
    NSData *_start;
    GMSession *_session;
}
/// path: a .gmck file, or an empty string for the image's initial state.
- (nullable instancetype)initWithPath:(NSString *)path error:(NSError **)error;
/// Writes a .gmck file, which has the optimizer's state either way. A session must have the checkpoint.
- (BOOL)saveCheckpointToPath:(NSString *)path withOptimizerState:(BOOL)includeOptimizerState error:(NSError **)error;
@end

/// Trains as onnxruntime's class of that name. An update applies the mean of the gradients, not their sum.
@interface ORTTrainingSession : NSObject {
  @private
    GMSession *_session;
}
@property(nonatomic, readonly) GMSession *session; // computes
/// trainModelPath: a .mote image (gradmote compile --accumulate), which has all programs. The others: the same, or nil.
- (nullable instancetype)initWithCheckpoint:(ORTCheckpoint *)checkpoint
                             trainModelPath:(NSString *)trainModelPath
                              evalModelPath:(nullable NSString *)evalModelPath
                         optimizerModelPath:(nullable NSString *)optimizerModelPath
                                      error:(NSError **)error;
/// Returns the loss, then further outputs.
- (nullable NSArray<ORTValue *> *)trainStepWithInputValues:(NSArray<ORTValue *> *)inputs error:(NSError **)error;
- (nullable NSArray<ORTValue *> *)evalStepWithInputValues:(NSArray<ORTValue *> *)inputs error:(NSError **)error;
- (BOOL)optimizerStepWithError:(NSError **)error;
- (BOOL)lazyResetGradWithError:(NSError **)error;
- (nullable NSArray<NSString *> *)getInputNamesWithTraining:(BOOL)train error:(NSError **)error;
- (BOOL)registerLinearLRSchedulerWithWarmupStepCount:(int64_t)warmupStepCount
                                      totalStepCount:(int64_t)totalStepCount
                                           initialLr:(float)initialLr
                                               error:(NSError **)error;
/// Does nothing: an update moves the schedule on.
- (BOOL)schedulerStepWithError:(NSError **)error;
- (float)getLearningRateWithError:(NSError **)error __attribute__((swift_error(nonnull_error)));
- (BOOL)setLearningRate:(float)lr error:(NSError **)error;
@end

NS_ASSUME_NONNULL_END
