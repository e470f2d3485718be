/*
 * Trains an MLP on handwritten digits with onnxruntime's class shape, in Kotlin.
 *
 * ./run example digits_files --accumulate --out build/digits_accumulating
 * kotlinc -cp build/java/gradmote.jar bindings/java/examples/TrainDigits.kt -d build/kotlin
 * kotlin -cp build/java/gradmote.jar:build/kotlin TrainDigitsKt build/digits_accumulating
 */
import gradmote.onnxruntime.OnnxTensor
import gradmote.onnxruntime.OrtEnvironment
import gradmote.onnxruntime.OrtTrainingSession
import java.io.File
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.FloatBuffer
import java.nio.IntBuffer

const val PIXELS = 64

class Samples(folder: File, name: String) {
    private val pixels = read(File(folder, "$name.f32")).asFloatBuffer()
    private val labels = read(File(folder, "$name.i32")).asIntBuffer()
    val indices get() = 0 until labels.limit()

    fun label(index: Int) = labels[index]

    fun pixels(index: Int) = FloatArray(PIXELS) { pixels[index * PIXELS + it] }

    /** The inputs of a training step, by the session's names. */
    fun feeds(session: OrtTrainingSession, index: Int): Map<String, OnnxTensor> {
        val (x, y) = session.trainInputNames.toList()
        val environment = OrtEnvironment.getEnvironment()
        val image = OnnxTensor.createTensor(environment, FloatBuffer.wrap(pixels(index)), longArrayOf(1, PIXELS.toLong()))
        return mapOf(x to image, y to OnnxTensor.createTensor(environment, IntBuffer.wrap(intArrayOf(label(index))), longArrayOf(1)))
    }

    private fun read(file: File) = ByteBuffer.wrap(file.readBytes()).order(ByteOrder.LITTLE_ENDIAN)
}

fun accuracy(session: OrtTrainingSession, samples: Samples) =
    samples.indices.count { index ->
        session.session.infer(samples.pixels(index))
        session.session.classify(0) == samples.label(index)
    }.toFloat() / samples.indices.count()

fun main(arguments: Array<String>) {
    val folder = File(arguments[0])
    val train = Samples(folder, "train")
    val test = Samples(folder, "test")
    val model = File(folder, "model.mote").path
    OrtEnvironment.getEnvironment().createTrainingSession(null, model, model, model).use { session ->
        val before = accuracy(session, test)
        repeat(5) {
            for (index in train.indices) {
                session.trainStep(train.feeds(session, index))
                session.optimizerStep()
                session.lazyResetGrad()
            }
        }
        println("accuracy %.3f -> %.3f".format(before, accuracy(session, test)))
    }
}
