// A call that can be given up: it runs in a child process, a copy of this one, and is killed at its
// deadline. A call that crashes or never ends is an answer then, and not the end of this process.
//
// The child holds a copy of all memory, but only of the calling thread. A lock that another thread held at
// that moment stays locked in the child. Such a child waits for ever without working; that is noticed by
// its processor time, and counts as NotStarted.
//
// On Linux the child leads a process group of its own. What it has started and left in that group is killed when it
// ends.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/deadline.h"

namespace cryolite {

struct ChildAnswer {
    enum class Outcome {
        Answered,
        Died,        // text says of what
        GivenUp,     // by stop(), or destroyed before it answered
        NotStarted,  // processes cannot be copied here, or the copy waits for a lock
    };
    Outcome outcome = Outcome::NotStarted;
    std::string text;
    int signal = 0;  // of Died: the signal that ended it; 0 if it ended by itself
};

class ChildCall {
public:
    // What it means that the child sleeps for seconds: that it waits for a lock (see above), or what it should do.
    enum class Sleep { MeansLocked, Allowed };

    // Starts `work` in a child. Its text is the answer; an exception's text is an answer, too. Whatever
    // else it changes is lost, and what it writes on standard output and error is not seen.
    // cpu_seconds: the child's processor time, past which it is killed and counts as given up.
    ChildCall(const std::function<std::string()> &work, double cpu_seconds,
              Sleep sleep = Sleep::MeansLocked);
    ~ChildCall();
    ChildCall(const ChildCall &) = delete;
    ChildCall &operator=(const ChildCall &) = delete;

    // Whether the call has ended; waits up to so many seconds of the clock for that.
    bool ended(double wait_seconds);
    // Kills the child if it still runs.
    void stop();
    // The child's process; -1 once it has ended.
    int pid() const;
    // Of a call that has ended.
    const ChildAnswer &answer() const { return answer_; }

private:
    struct Process;
    void end();
    std::unique_ptr<Process> process_;
    ChildAnswer answer_;
};

}  // namespace cryolite
