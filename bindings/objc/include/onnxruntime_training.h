/*
 * onnxruntime-training's classes, with the same names, for a .mote image and .gmck checkpoints.
 *
 *     ORTCheckpoint *checkpoint = [[ORTCheckpoint alloc] initWithPath:@"model.mote" error:&error];
 *     ORTTrainingSession *session = [[ORTTrainingSession alloc] initWithEnv:env ... error:&error];
 *     [session trainStepWithInputValues:@[ pixels, labels ] error:&error];
 *     [session optimizerStepWithError:&error];
 *     [session lazyResetGradWithError:&error];
 *     [checkpoint saveCheckpointToPath:@"learned.gmck" withOptimizerState:YES error:&error];
 *
 * Differences: an update applies the mean of the accumulated gradients, not their sum, and
 * optimizerStepWithError: advances the schedule. The image must be compiled to accumulate.
 */
#import "GMSession.h"

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(int32_t, ORTLoggingLevel) {
    ORTLoggingLevelVerbose,
    ORTLoggingLevelInfo,
    ORTLoggingLevelWarning,
    ORTLoggingLevelError,
    ORTLoggingLevelFatal,
};

typedef NS_ENUM(int32_t, ORTTensorElementDataType) {
    ORTTensorElementDataTypeUndefined,
    ORTTensorElementDataTypeFloat,
    ORTTensorElementDataTypeInt8,
    ORTTensorElementDataTypeUInt8,
    ORTTensorElementDataTypeInt32,
    ORTTensorElementDataTypeUInt32,
    ORTTensorElementDataTypeInt64,
    ORTTensorElementDataTypeUInt64,
    ORTTensorElementDataTypeString,
};

/* Has nothing to set up. */
@interface ORTEnv : NSObject
- (nullable instancetype)initWithLoggingLevel:(ORTLoggingLevel)level error:(NSError **)error;
@end

/* Has no options. */
@interface ORTSessionOptions : NSObject
- (nullable instancetype)initWithError:(NSError **)error;
@end

@interface ORTTensorTypeAndShapeInfo : NSObject {
    ORTTensorElementDataType _elementType;
    NSArray *_shape;
}
@property(nonatomic) ORTTensorElementDataType elementType;
@property(nonatomic, copy) NSArray<NSNumber *> *shape;
@end

/* A tensor of float, int8_t, uint8_t, int32_t or int64_t. */
@interface ORTValue : NSObject {
  @private
    NSMutableData *_data;
    ORTTensorTypeAndShapeInfo *_info;
}
- (nullable instancetype)initWithTensorData:(NSMutableData *)data
                                elementType:(ORTTensorElementDataType)elementType
                                      shape:(NSArray<NSNumber *> *)shape
                                      error:(NSError **)error;
- (nullable ORTTensorTypeAndShapeInfo *)tensorTypeAndShapeInfoWithError:(NSError **)error;
- (nullable NSMutableData *)tensorDataWithError:(NSError **)error;
@end

/* The state of a training: of a .gmck file, or the initial one of a .mote image. Once a session was
 * made with it, the state of that session. */
@interface ORTCheckpoint : NSObject {
  @private
    NSData *_file;
    GMSession *_session;
    NSMutableDictionary *_properties;
}
- (nullable instancetype)initWithPath:(NSString *)path error:(NSError **)error;

/* Writes a .gmck file. includeOptimizerState: NO if the optimizer should begin again from it, as in the
 * image. */
- (BOOL)saveCheckpointToPath:(NSString *)path withOptimizerState:(BOOL)includeOptimizerState error:(NSError **)error;

/* Properties are numbers and texts of any length, in the checkpoint's file. What fits 32 bits, under a
 * name of up to 19 bytes, is in a slot of the state too, if one is free, so that a device reads it. */
- (BOOL)addIntPropertyWithName:(NSString *)name value:(int64_t)value error:(NSError **)error;
- (BOOL)addFloatPropertyWithName:(NSString *)name value:(float)value error:(NSError **)error;
- (BOOL)addStringPropertyWithName:(NSString *)name value:(NSString *)value error:(NSError **)error;
- (int64_t)getIntPropertyWithName:(NSString *)name error:(NSError **)error;
- (float)getFloatPropertyWithName:(NSString *)name error:(NSError **)error;
- (nullable NSString *)getStringPropertyWithName:(NSString *)name error:(NSError **)error;
@end

@interface ORTTrainingSession : NSObject {
  @private
    GMSession *_session;
    NSString *_exportTable;
}
/* trainModelPath: the .mote image. An image has all programs, so the other two are nil or the same. */
- (nullable instancetype)initWithEnv:(ORTEnv *)env
                      sessionOptions:(nullable ORTSessionOptions *)sessionOptions
                          checkPoint:(ORTCheckpoint *)checkPoint
                      trainModelPath:(NSString *)trainModelPath
                       evalModelPath:(nullable NSString *)evalModelPath
                  optimizerModelPath:(nullable NSString *)optimizerModelPath
                               error:(NSError **)error;

/* The underlying session. */
@property(nonatomic, readonly) GMSession *session;

/* The inputs are every input, then every label; the outputs are the loss, then the program's
 * outputs. */
- (nullable NSArray<ORTValue *> *)trainStepWithInputValues:(NSArray<ORTValue *> *)inputs error:(NSError **)error;
- (nullable NSArray<ORTValue *> *)evalStepWithInputValues:(NSArray<ORTValue *> *)inputs error:(NSError **)error;
- (BOOL)optimizerStepWithError:(NSError **)error;
- (BOOL)lazyResetGradWithError:(NSError **)error;
- (nullable NSArray<NSString *> *)inputNamesWithTraining:(BOOL)train error:(NSError **)error;
- (nullable NSArray<NSString *> *)outputNamesWithTraining:(BOOL)train error:(NSError **)error;
- (BOOL)registerLinearLRSchedulerWithWarmupStepCount:(int64_t)warmupStepCount
                                      totalStepCount:(int64_t)totalStepCount
                                           initialLr:(float)initialLr
                                               error:(NSError **)error;

/* Does nothing: optimizerStepWithError: advances the schedule. */
- (BOOL)schedulerStepWithError:(NSError **)error;
- (float)getLearningRateWithError:(NSError **)error;
- (BOOL)setLearningRate:(float)lr error:(NSError **)error;

/* Returns a copy of the trained parameters, the only ones that an image can change. If some weights do
 * not train, onlyTrainable must be YES. */
- (nullable ORTValue *)toBufferWithTrainable:(BOOL)onlyTrainable error:(NSError **)error;
- (BOOL)fromBufferWithValue:(ORTValue *)buffer error:(NSError **)error;

/* Writes the trained model, with the export table beside the image (`gradmote compile --export-table`).
 * graphOutputNames: nil, or the names of all outputs of the model, which stay. */
- (BOOL)exportModelForInferenceWithOutputPath:(NSString *)inferenceModelPath
                             graphOutputNames:(nullable NSArray<NSString *> *)graphOutputNames
                                        error:(NSError **)error;
@end

/* Sets the seed of sessions made from now on. */
void ORTSetSeed(int64_t seed);

NS_ASSUME_NONNULL_END
