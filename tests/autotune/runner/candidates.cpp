// Candidates of every kind, written by hand in the form in which Halide compiles pipelines: out(x, y) = gain * in(x,
// y).
//
// A function NAME stands for a library of its own with a Halide runtime: it has NAME_argv and NAME_metadata.
#include <HalideRuntime.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

constexpr int side = 256;
constexpr int work = 8;  // times that a run computes its output

int64_t zero = 0, extent = side;
const int64_t *const estimates[] = {&zero, &extent, &zero, &extent};

halide_scalar_value_t gain_estimate() {
    halide_scalar_value_t value{};
    value.u.i32 = 3;
    return value;
}
const halide_scalar_value_t gain = gain_estimate();

const halide_type_t bytes(halide_type_uint, 8), words(halide_type_int, 32),
    floats(halide_type_float, 32);

const halide_filter_argument_t arguments[] = {{"in", halide_argument_kind_input_buffer, 2, bytes,
                                               nullptr, nullptr, nullptr, nullptr, estimates},
                                              {"gain", halide_argument_kind_input_scalar, 0, words,
                                               nullptr, nullptr, nullptr, &gain, nullptr},
                                              {"out", halide_argument_kind_output_buffer, 2, words,
                                               nullptr, nullptr, nullptr, nullptr, estimates}};
const halide_filter_argument_t other_arguments[] = {
    {"in", halide_argument_kind_input_buffer, 2, floats, nullptr, nullptr, nullptr, nullptr,
     estimates},
    arguments[1],
    arguments[2]};

const halide_filter_metadata_t metadata = {1, 3, arguments, "x86-64-linux", "made"},
                               metadata_of_floats = {1, 3, other_arguments, "x86-64-linux",
                                                     "other"},
                               metadata_of_two = {1, 2, arguments, "x86-64-linux", "short"};

halide_error_handler_t error_handler = nullptr;

// True for a question about regions, which it answers.
bool answered(halide_buffer_t &in, halide_buffer_t &out) {
    if (in.host != nullptr && out.host != nullptr) return false;
    if (in.host == nullptr) {
        in.dim[0] = {out.dim[0].min, out.dim[0].extent, 1};
        in.dim[1] = {out.dim[1].min, out.dim[1].extent, out.dim[0].extent};
    }
    return true;
}

bool compute(void **argv, int times = work, int more = 0) {
    auto &in = *static_cast<halide_buffer_t *>(argv[0]);
    auto &out = *static_cast<halide_buffer_t *>(argv[2]);
    if (answered(in, out)) return false;
    const int gain_now = *static_cast<const int32_t *>(argv[1]);
    for (int t = 0; t < times; t++) {
        asm volatile("" ::: "memory");
        for (int y = 0; y < out.dim[1].extent; y++) {
            const uint8_t *from = in.host + y * in.dim[1].stride;
            int32_t *to = reinterpret_cast<int32_t *>(out.host) + y * out.dim[1].stride;
            for (int x = 0; x < out.dim[0].extent; x++) to[x] = gain_now * from[x] + more;
        }
    }
    return true;
}

void sleep_for_ever() {
    for (;;) pause();
}

// Far deeper than any stack.
int deep(int64_t depth) {
    volatile char much[4096];
    much[depth % 4096] = static_cast<char>(depth);
    return depth < 0 ? 0 : deep(depth + 1) + much[(depth * 7) % 4096];
}

}  // namespace

// The parts of Halide's runtime that the runner asks for.
EXPORTED halide_error_handler_t halide_set_error_handler(halide_error_handler_t handler) {
    return std::exchange(error_handler, handler);
}
EXPORTED int halide_set_num_threads(int threads) { return threads; }

#define CANDIDATE_WITH(name, its_metadata)                                                 \
    EXPORTED const halide_filter_metadata_t *name##_metadata() { return &(its_metadata); } \
    EXPORTED int name##_argv(void **argv)
#define CANDIDATE(name) CANDIDATE_WITH(name, metadata)

CANDIDATE(right) {
    compute(argv);
    return 0;
}
CANDIDATE(also_right) {
    compute(argv);
    return 0;
}
CANDIDATE(slow) {
    compute(argv, 200 * work);
    return 0;
}
CANDIDATE(wrong) {
    compute(argv, work, 1);
    return 0;
}
CANDIDATE(wrong_later) {
    static int runs = 0;
    if (compute(argv, work, runs > 0)) runs++;
    return 0;
}
CANDIDATE(idle_later) {
    static bool has_run = false;
    has_run = has_run || compute(argv);
    return 0;
}
CANDIDATE(crash) {
    if (compute(argv)) raise(SIGSEGV);
    return 0;
}
CANDIDATE(aborting) {
    if (compute(argv)) std::abort();
    return 0;
}
CANDIDATE(exit_0) {
    if (compute(argv)) std::exit(0);
    return 0;
}
CANDIDATE(exit_1) {
    if (compute(argv)) std::exit(1);
    return 0;
}
CANDIDATE(spinning) {
    while (compute(argv)) {
    }
    return 0;
}
CANDIDATE(sleeping) {
    if (compute(argv)) sleep_for_ever();
    return 0;
}
CANDIDATE(stopping) {
    if (compute(argv)) raise(SIGSTOP);
    return 0;
}
// Takes memory and uses it: 4 GB, so that it ends itself where nothing else does.
CANDIDATE(hog) {
    if (!compute(argv)) return 0;
    for (int i = 0; i < 256; i++) {
        constexpr size_t step = size_t{16} << 20;
        void *memory = std::malloc(step);
        if (memory == nullptr) return halide_error_code_out_of_memory;
        std::memset(memory, 1, step);
    }
    return 0;
}
// The same with memory that is shared between processes.
CANDIDATE(sharing_hog) {
    if (!compute(argv)) return 0;
    for (int i = 0; i < 256; i++) {
        constexpr size_t step = size_t{16} << 20;
        void *memory =
            mmap(nullptr, step, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return halide_error_code_out_of_memory;
        std::memset(memory, 1, step);
    }
    return 0;
}
CANDIDATE(without_memory) {
    if (!compute(argv)) return 0;
    error_handler(nullptr, "Out of memory (halide_malloc returned nullptr)");
    return halide_error_code_out_of_memory;
}
CANDIDATE(killed) {
    if (compute(argv)) raise(SIGKILL);
    return 0;
}
CANDIDATE(children) {
    if (!compute(argv)) return 0;
    for (int i = 0; i < 5; i++)
        if (fork() == 0) sleep_for_ever();
    return 0;
}
// Children that ignore the end of their parent, in sessions of their own.
CANDIDATE(daemons) {
    if (!compute(argv)) return 0;
    for (int i = 0; i < 3; i++) {
        if (fork() != 0) continue;
        setsid();
        if (fork() == 0) sleep_for_ever();
        _exit(0);
    }
    return 0;
}
CANDIDATE(daemon_and_hang) {
    if (!compute(argv)) return 0;
    if (fork() == 0) {
        setsid();
        sleep_for_ever();
    }
    sleep_for_ever();
    return 0;
}
CANDIDATE(closing) {
    if (compute(argv))
        for (int d = 0; d < 256; d++) close(d);
    return 0;
}
CANDIDATE(talking) {
    if (!compute(argv)) return 0;
    for (int d : {STDOUT_FILENO, STDERR_FILENO})
        if (write(d, "{\"entries\": \xff", 13) < 0) return 1;
    return 0;
}
CANDIDATE(refusing) {
    if (!compute(argv)) return 0;
    error_handler(nullptr, "Error: the size must be even\n");
    return halide_error_code_requirement_failed;
}
CANDIDATE(throwing) {
    if (compute(argv)) throw std::runtime_error("thrown");
    return 0;
}
CANDIDATE(recursive) {
    if (compute(argv)) return deep(0);
    return 0;
}
CANDIDATE_WITH(other, metadata_of_floats) {
    compute(argv);
    return 0;
}
CANDIDATE_WITH(shorter, metadata_of_two) {
    compute(argv);
    return 0;
}
EXPORTED int without_metadata_argv(void **argv) {
    compute(argv);
    return 0;
}
