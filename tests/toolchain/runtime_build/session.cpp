// Trains a classifier of two samples with three numbers each: session model.mote prints three losses, then its outputs.
#include <cstdio>

#include "gradmote.hpp"

static gradmote::Arena<4096> arena;
alignas(16) static uint8_t image[65536];

static int failed(gradmote::Status status)
{
    std::fprintf(stderr, "%d %s - %s\n", status.code(), status.text(), status.hint());
    return 1;
}

int main(int, char **arguments)
{
    std::FILE *file = std::fopen(arguments[1], "rb");
    const size_t size = std::fread(image, 1, sizeof image, file);
    std::fclose(file);
    const float x[] = {1.0f, -2.0f, 0.5f, 0.25f, 3.0f, -1.0f};
    const int32_t labels[] = {2, 0};

    gradmote::Session session;
    if (gradmote::Status status = session.open(image, 8, arena); status) {
        return 2; // eight bytes are no image
    }
    if (gradmote::Status status = session.open(image, size, arena); !status) {
        return failed(status);
    }
    if (!session.write(GM_ROLE_INPUT, 0, x) || !session.write(GM_ROLE_LABEL, 0, labels)) {
        return 3;
    }
    for (int step = 0; step < 3; ++step) {
        float loss;
        if (gradmote::Status status = session.step(&loss); !status) {
            return failed(status);
        }
        std::printf("%.9g\n", static_cast<double>(loss));
    }
    gradmote::Status status = session.begin(GM_PROGRAM_INFER);
    while ((status = session.run(1)).again()) {
    }
    for (const float logit : session.output()) {
        std::printf("%.9g\n", static_cast<double>(logit));
    }
    return session.parameter("no such").empty() && status ? 0 : 4;
}
