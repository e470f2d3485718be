/*
 * Trains and runs one .mote image.
 *
 *     NSError *error = nil;
 *     GMSession *session = [[GMSession alloc] initWithImage:image threads:1 error:&error];
 *     float loss;
 *     [session stepWithData:@[ pixels, @[ @3 ] ] loss:&loss error:&error];
 *     NSData *checkpoint = [session saveWithError:&error];
 *
 * A program takes every input, then every label. Each is an NSData of numbers of the tensor's
 * dtype, or an NSArray of NSNumber. Methods return NSData with numbers of the tensor's dtype, too.
 * A method that fails returns NO or nil, and leaves the parameters unchanged. Use a session from
 * one thread at a time. Compiles with and without automatic reference counting.
 */
#import <Foundation/Foundation.h>

#ifndef NS_ASSUME_NONNULL_BEGIN
#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#endif

NS_ASSUME_NONNULL_BEGIN

/* Errors of this domain have the runtime's code, which is negative, a description, and the remedy
 * as NSLocalizedRecoverySuggestionErrorKey. */
extern NSString *const GMErrorDomain;

/* The key of the code's name, such as GM_ERR_WRONG_SIZE, in the error's userInfo. */
extern NSString *const GMErrorNameKey;

/* The programs that an image may have. */
typedef NS_ENUM(uint32_t, GMProgram) {
    GMProgramInfer,
    GMProgramEval,
    GMProgramTrain,
    GMProgramOptimizer,
    GMProgramStep,
};

/* The types of a tensor's numbers: float, int32_t, int8_t, uint8_t and int16_t. */
typedef NS_ENUM(uint32_t, GMDType) {
    GMDTypeF32,
    GMDTypeI32,
    GMDTypeI8,
    GMDTypeU8,
    GMDTypeI16,
};

/* An input, label, output or parameter of an image. */
@interface GMTensor : NSObject {
  @package
    NSString *_name;
    NSArray *_shape;
    NSUInteger _length;
    GMDType _dtype;
    uint32_t _role, _index, _programs;
}
@property(nonatomic, readonly, copy) NSString *name;
@property(nonatomic, readonly, copy) NSArray<NSNumber *> *shape;
@property(nonatomic, readonly) NSUInteger length; /* bytes */
@property(nonatomic, readonly) GMDType dtype;
@property(nonatomic, readonly) BOOL isInteger; /* of any integer type, rather than float */
- (BOOL)isInProgram:(GMProgram)program;
@end

@interface GMSession : NSObject {
  @private
    int64_t _handle;
    int _runs; /* atomic: 1 while a thread writes data and runs a program */
    NSArray *_inputs, *_labels, *_outputs, *_parameters;
    NSArray *_data; /* the data of each program */
}

/* Returns whether a multiply-accumulate rounds once (the fused profile), as on boards with that
 * profile, or twice (strict). */
+ (BOOL)isFused;

/* Copies and verifies the image, and sets the state to its initial values. threads: 1 to 16. */
- (nullable instancetype)initWithImage:(NSData *)image threads:(uint32_t)threads error:(NSError **)error;

/* Closes the session and frees its memory, like dealloc. Closing it again does nothing. Refused
 * while another thread is in a call. */
- (BOOL)closeWithError:(NSError **)error;

@property(nonatomic, readonly, copy) NSArray<GMTensor *> *inputs;
@property(nonatomic, readonly, copy) NSArray<GMTensor *> *labels;
@property(nonatomic, readonly, copy) NSArray<GMTensor *> *outputs;
@property(nonatomic, readonly, copy) NSArray<GMTensor *> *parameters;

/* Returns the program's inputs, then its labels. */
- (NSArray<GMTensor *> *)dataOfProgram:(GMProgram)program;

/* Trains on one batch and updates. *loss: before the update; may be NULL. */
- (BOOL)stepWithData:(NSArray *)data loss:(nullable float *)loss error:(NSError **)error;

/* Adds the gradients of one micro-batch. The image must be compiled to accumulate. */
- (BOOL)trainStepWithData:(NSArray *)data loss:(nullable float *)loss error:(NSError **)error;

/* Applies the mean of the accumulated gradients. */
- (BOOL)optimizerStepWithError:(NSError **)error;

/* Makes the next training step start from zero gradients. */
- (BOOL)lazyResetGradWithError:(NSError **)error;

/* Applies the sum of the accumulated gradients, as onnxruntime does, instead of their mean. */
- (BOOL)optimizerStepOnSumWithError:(NSError **)error;

/* Computes the loss without training. */
- (BOOL)evalStepWithData:(NSArray *)data loss:(nullable float *)loss error:(NSError **)error;

/* Runs the model and returns its first output. */
- (nullable NSData *)inferWithData:(NSArray *)data error:(NSError **)error;

/* Returns an output of the last program. */
- (nullable NSData *)output:(GMTensor *)output error:(NSError **)error;

/* Returns the class with the highest score in a row of the last inferWithData:error:. */
- (nullable NSNumber *)classifyRow:(uint32_t)row error:(NSError **)error;

/* Resets all state to the image's initial values. */
- (BOOL)resetWithError:(NSError **)error;

/* Returns the rate of the next update. */
- (nullable NSNumber *)learningRateWithError:(NSError **)error;

/* Returns the number of applied updates. */
- (nullable NSNumber *)optimizerStepsWithError:(NSError **)error;

/* Sets the rate (finite, at least 0) and ends any schedule. */
- (BOOL)setLearningRate:(float)rate error:(NSError **)error;

/* Raises the rate linearly from 0 in `warmup` steps, then lowers it to 0 at `total` steps. */
- (BOOL)setLinearScheduleWithRate:(float)rate warmup:(uint32_t)warmup total:(uint32_t)total error:(NSError **)error;

/* Sets the seed of Dropout and of the sample store's choices. */
- (BOOL)setSeed:(uint32_t)seed error:(NSError **)error;

/* Returns the parameter with this name, or its accumulated gradient, which is float for every
 * dtype. */
- (nullable NSData *)parameterNamed:(NSString *)name error:(NSError **)error;
- (nullable NSData *)gradientNamed:(NSString *)name error:(NSError **)error;

/* Returns all parameters in their order, or sets them. Each has numbers of its dtype, and begins at
 * a multiple of 4 bytes. */
- (nullable NSData *)parameterValuesWithError:(NSError **)error;
- (BOOL)setParameterValues:(NSData *)values error:(NSError **)error;

/* Returns the parameters' difference from the image's initial ones, in the same form, or sets the
 * parameters to the initial ones plus such a difference. For integers it is modulo 2^8, 2^16 or
 * 2^32. */
- (nullable NSData *)deltaWithError:(NSError **)error;
- (BOOL)applyDelta:(NSData *)delta error:(NSError **)error;

/* Returns the bytes of a .gmck checkpoint. */
- (nullable NSData *)saveWithError:(NSError **)error;

/* Returns a checkpoint from which the optimizer begins again: moments, counters, rate and schedule are
 * the image's. */
- (nullable NSData *)saveWithoutOptimizerWithError:(NSError **)error;

/* Fails with GM_ERR_FROZEN if some weights do not train: these are constants of the image. */
- (BOOL)requireAllTrainedWithError:(NSError **)error;

/* Returns the trained model as an ONNX file. table: the .gmex file of `gradmote compile --export-table`. */
- (nullable NSData *)exportModelWithTable:(NSData *)table error:(NSError **)error;

/* Loads a checkpoint of the same model. */
- (BOOL)loadCheckpoint:(NSData *)checkpoint error:(NSError **)error;

/* Loads the matching entries of another model's checkpoint, and returns their number. */
- (nullable NSNumber *)carryOverCheckpoint:(NSData *)checkpoint error:(NSError **)error;

/* Stores a number in the state, as int32_t or float by its own type; nil removes it. key: up to 19
 * bytes of UTF-8. */
- (BOOL)setProperty:(nullable NSNumber *)value forKey:(NSString *)key error:(NSError **)error;
- (nullable NSNumber *)propertyForKey:(NSString *)key error:(NSError **)error;

/* Returns all numbers by their keys. */
- (NSDictionary *)properties;

/* Adds a sample of the first input's size to the sample store. */
- (BOOL)learnSample:(id)sample label:(uint32_t)label error:(NSError **)error;

/* Runs a step on samples of the store. */
- (BOOL)replayWithLoss:(nullable float *)loss error:(NSError **)error;

/* Removes the samples of a class from the store. */
- (BOOL)forgetLabel:(uint32_t)label error:(NSError **)error;

@end

NS_ASSUME_NONNULL_END
