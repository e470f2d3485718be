// Trains the image of bindings.same_state and writes the checkpoint to standard output: SameState MODEL STEPS.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "gradmote.hpp"

static void draw(uint32_t step, float (&pixels)[64])
{
    uint32_t s = step + 1;
    for (float &pixel : pixels) {
        s = s * 1664525u + 1013904223u;
        pixel = static_cast<float>(s >> 8) / 16777216.0f;
    }
}

int main(int, char **arguments)
{
    std::ifstream file(arguments[1], std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::vector<gradmote::Arena<16>> image(bytes.size() / 16 + 1);
    memcpy(image.data(), bytes.data(), bytes.size());
    gm_requirements needs;
    gradmote::check(gradmote::required(image.data(), bytes.size(), &needs));
    std::vector<gradmote::Arena<16>> arena(needs.arena_size / 16 + 1);
    gradmote::Session session;
    gradmote::check(session.open(image.data(), bytes.size(), arena.data(), arena.size() * 16));
    const uint32_t steps = static_cast<uint32_t>(std::atoi(arguments[2]));
    for (uint32_t step = 0; step < steps; ++step) {
        float pixels[64];
        draw(step, pixels);
        const int32_t labels[] = {static_cast<int32_t>(step * 7 % 10)};
        gradmote::check(session.write(GM_ROLE_INPUT, 0, pixels));
        gradmote::check(session.write(GM_ROLE_LABEL, 0, labels));
        gradmote::check(session.step());
    }
    std::vector<char> saved(session.checkpoint_size());
    gradmote::check(session.save_to(saved.data(), saved.size()));
    return std::fwrite(saved.data(), 1, saved.size(), stdout) == saved.size() ? 0 : 1;
}
