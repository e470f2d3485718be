#import <Foundation/Foundation.h>

// With and without reference counting by the compiler.
#if __has_feature(objc_arc)
#define GM_GIVE(object) (object)
#define GM_KEEP(object) (object)
#define GM_DEALLOC(...)
#else
#define GM_GIVE(object) [(object) autorelease]
#define GM_KEEP(object) [(object) retain]
#define GM_DEALLOC(...) __VA_ARGS__[super dealloc]
#endif

NS_ASSUME_NONNULL_BEGIN

/// The domain of errors. Their code is the runtime's; NSLocalizedDescriptionKey says what was wrong, and
/// NSLocalizedRecoverySuggestionErrorKey what to do. Parameters and optimizer state are as they were.
extern NSString *const GMErrorDomain;

/// The programs that an image may have.
typedef NS_ENUM(NSUInteger, GMProgram) {
    GMProgramInfer,
    GMProgramEval,
    GMProgramTrain,
    GMProgramOptimizer,
    GMProgramStep
};

/// An input, label, output or parameter.
@interface GMTensor : NSObject {
  @package
    NSString *_name;
    NSArray *_shape;
    BOOL _isInteger;
    NSUInteger _size;
    uint32_t _role, _index, _programs, _dtype;
}
@property(nonatomic, readonly, copy) NSString *name; // in the ONNX model; empty where names were stripped
@property(nonatomic, readonly, copy) NSArray<NSNumber *> *shape;
@property(nonatomic, readonly) BOOL isInteger; // int32_t and not float
@property(nonatomic, readonly) NSUInteger size; // bytes
- (BOOL)isInProgram:(GMProgram)program;
@end

/// Trains and runs one .mote image. Data are bytes of float or int32_t: every input of a program, then every label. A
/// session serves one thread at a time. A method that is refused returns NO, nil or NAN, and sets the error.
@interface GMSession : NSObject {
  @private
    NSArray *_inputs, *_labels, *_outputs, *_parameters;
    int64_t _handle;
    uint32_t _runs; // atomic: 1 while a thread feeds and runs a program
}
@property(nonatomic, readonly, copy) NSArray<GMTensor *> *inputs;
@property(nonatomic, readonly, copy) NSArray<GMTensor *> *labels;
@property(nonatomic, readonly, copy) NSArray<GMTensor *> *outputs; // of all programs
@property(nonatomic, readonly, copy) NSArray<GMTensor *> *parameters;
@property(nonatomic, readonly) float learningRate; // that of the next update; NAN where the session is closed

- (nullable instancetype)initWithImage:(NSData *)image error:(NSError **)error;
/// threads: 1 to 16 that share the work of large instructions.
- (nullable instancetype)initWithImage:(NSData *)image threads:(NSUInteger)threads error:(NSError **)error;
/// Ends the session; to end it again does nothing. While another thread is in a call, this is refused.
- (BOOL)close:(NSError **)error;

/// Trains on one batch, updates, and returns the loss before the update.
- (float)step:(NSArray<NSData *> *)data error:(NSError **)error __attribute__((swift_error(nonnull_error)));
/// Runs a program and returns its loss, or 0 where it has none.
- (float)run:(GMProgram)program
        with:(NSArray<NSData *> *)data
       error:(NSError **)error __attribute__((swift_error(nonnull_error)));
/// Runs the model and returns the floats of its first output.
- (nullable NSData *)infer:(NSArray<NSData *> *)data error:(NSError **)error;
/// Returns a copy of an output of the program that ran last.
- (nullable NSData *)output:(GMTensor *)output error:(NSError **)error;
/// Returns the class with the highest score in a row of the last infer:, or -1.
- (NSInteger)classifyRow:(NSUInteger)row error:(NSError **)error __attribute__((swift_error(nonnull_error)));

- (BOOL)lazyResetGrad:(NSError **)error;
- (BOOL)reset:(NSError **)error;
- (BOOL)setLearningRate:(float)rate error:(NSError **)error;
- (BOOL)setLinearSchedule:(float)rate warmupSteps:(uint32_t)warmup totalSteps:(uint32_t)total error:(NSError **)error;
- (BOOL)setSeed:(uint32_t)seed error:(NSError **)error;

/// All parameters as floats, in the order of `parameters`.
- (nullable NSData *)parameterData:(NSError **)error;
- (BOOL)setParameterData:(NSData *)values error:(NSError **)error;
/// The bytes of a .gmck checkpoint.
- (nullable NSData *)save:(NSError **)error;
- (BOOL)load:(NSData *)checkpoint error:(NSError **)error;
/// Keeps a number with the state: one of `int` as that, any other as float. key: up to 19 bytes of UTF-8.
- (BOOL)setProperty:(NSNumber *)value forKey:(NSString *)key error:(NSError **)error;
- (nullable NSNumber *)propertyForKey:(NSString *)key error:(NSError **)error;
@end

NS_ASSUME_NONNULL_END
