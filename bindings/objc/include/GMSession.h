/*
 * Trains and runs one .mote image.
 *
 *     NSError *error = nil;
 *     GMSession *session = [[GMSession alloc] initWithImage:image threads:1 error:&error];
 *     float loss;
 *     [session stepWithData:@[ pixels, @[ @3 ] ] loss:&loss error:&error];
 *     NSData *checkpoint = [session saveWithError:&error];
 *
 * A program takes every input, then every label. Each of them is an NSData of numbers of the tensor's
 * dtype, or an NSArray of NSNumber. What a method returns in an NSData are numbers of the tensor's
 * dtype too. A method that fails returns NO or nil, and the parameters are as they were. A session serves one thread at a time. It may be
 * compiled with and without automatic reference counting.
 */
#import <Foundation/Foundation.h>

#ifndef NS_ASSUME_NONNULL_BEGIN
#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#endif

NS_ASSUME_NONNULL_BEGIN

/* Errors of this domain have the runtime's code, which is negative, a description, and what to do
 * about it as NSLocalizedRecoverySuggestionErrorKey. */
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
@property(nonatomic, readonly) BOOL isInteger; /* of any type, otherwise float */
- (BOOL)isInProgram:(GMProgram)program;
@end

@interface GMSession : NSObject {
  @private
    int64_t _handle;
    int _runs; /* atomic: 1 while a thread writes data and runs a program */
    NSArray *_inputs, *_labels, *_outputs, *_parameters;
    NSArray *_data; /* for each program what it takes */
}

/* Returns whether a multiply-accumulate rounds once (the profile fused), as on boards of that
 * profile, or twice (strict). */
+ (BOOL)isFused;

/* Verifies the image, which is copied, and sets the state to its initial values. threads: 1 to 16. */
- (nullable instancetype)initWithImage:(NSData *)image threads:(uint32_t)threads error:(NSError **)error;

/* Ends the session and frees its memory, as dealloc does. To end it again does nothing. Where
 * another thread is in a call, it is refused. */
- (BOOL)closeWithError:(NSError **)error;

@property(nonatomic, readonly, copy) NSArray<GMTensor *> *inputs;
@property(nonatomic, readonly, copy) NSArray<GMTensor *> *labels;
@property(nonatomic, readonly, copy) NSArray<GMTensor *> *outputs;
@property(nonatomic, readonly, copy) NSArray<GMTensor *> *parameters;

/* Returns the inputs and then the labels that the program takes. */
- (NSArray<GMTensor *> *)dataOfProgram:(GMProgram)program;

/* Trains on one batch and updates. *loss: that before the update; NULL where it is not wanted. */
- (BOOL)stepWithData:(NSArray *)data loss:(nullable float *)loss error:(NSError **)error;

/* Adds the gradients of one micro-batch. The image must be compiled to accumulate. */
- (BOOL)trainStepWithData:(NSArray *)data loss:(nullable float *)loss error:(NSError **)error;

/* Applies the mean of the accumulated gradients. */
- (BOOL)optimizerStepWithError:(NSError **)error;

/* Makes the next training step start from zero gradients. */
- (BOOL)lazyResetGradWithError:(NSError **)error;

/* Computes the loss without training. */
- (BOOL)evalStepWithData:(NSArray *)data loss:(nullable float *)loss error:(NSError **)error;

/* Runs the model and returns its first output. */
- (nullable NSData *)inferWithData:(NSArray *)data error:(NSError **)error;

/* Returns an output of the program that ran last. */
- (nullable NSData *)output:(GMTensor *)output error:(NSError **)error;

/* Returns the class with the highest score in a row of the last inferWithData:error:. */
- (nullable NSNumber *)classifyRow:(uint32_t)row error:(NSError **)error;

/* Sets all state back to the image's initial values. */
- (BOOL)resetWithError:(NSError **)error;

/* Returns the rate of the next update. */
- (nullable NSNumber *)learningRateWithError:(NSError **)error;

/* Returns how many updates were applied. */
- (nullable NSNumber *)optimizerStepsWithError:(NSError **)error;

/* Sets the rate (finite, at least 0) and ends any schedule. */
- (BOOL)setLearningRate:(float)rate error:(NSError **)error;

/* Raises the rate linearly from 0 in `warmup` steps, then lowers it to 0 at `total` steps. */
- (BOOL)setLinearScheduleWithRate:(float)rate warmup:(uint32_t)warmup total:(uint32_t)total error:(NSError **)error;

/* Sets the seed of Dropout and of the sample store's choices. */
- (BOOL)setSeed:(uint32_t)seed error:(NSError **)error;

/* Returns the parameter of that name, or its accumulated gradient, which is of float for every dtype. */
- (nullable NSData *)parameterNamed:(NSString *)name error:(NSError **)error;
- (nullable NSData *)gradientNamed:(NSString *)name error:(NSError **)error;

/* Returns all parameters in their order, or sets them. Each has numbers of its dtype, and begins at a
 * multiple of 4 bytes. */
- (nullable NSData *)parameterValuesWithError:(NSError **)error;
- (BOOL)setParameterValues:(NSData *)values error:(NSError **)error;

/* Returns the parameters' distance from the image's initial ones, in the same form, or sets them to
 * such a distance. That of integers is modulo 2^8, 2^16 or 2^32. */
- (nullable NSData *)deltaWithError:(NSError **)error;
- (BOOL)applyDelta:(NSData *)delta error:(NSError **)error;

/* Returns the bytes of a .gmck checkpoint. */
- (nullable NSData *)saveWithError:(NSError **)error;

/* Loads a checkpoint of the same model. */
- (BOOL)loadCheckpoint:(NSData *)checkpoint error:(NSError **)error;

/* Takes over what fits of another model's checkpoint, and returns the number of entries. */
- (nullable NSNumber *)carryOverCheckpoint:(NSData *)checkpoint error:(NSError **)error;

/* Keeps a number with the state, as int32_t or float by its own type; nil removes it. key: up to 19
 * bytes of UTF-8. */
- (BOOL)setProperty:(nullable NSNumber *)value forKey:(NSString *)key error:(NSError **)error;
- (nullable NSNumber *)propertyForKey:(NSString *)key error:(NSError **)error;

/* Takes a sample, which has the first input's size, into the sample store. */
- (BOOL)learnSample:(id)sample label:(uint32_t)label error:(NSError **)error;

/* Steps on samples of the store. */
- (BOOL)replayWithLoss:(nullable float *)loss error:(NSError **)error;

/* Drops the samples of a class from the store. */
- (BOOL)forgetLabel:(uint32_t)label error:(NSError **)error;

@end

NS_ASSUME_NONNULL_END
