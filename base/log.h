// A log is handed in, never global; by default it is silent.
#pragma once

#include <functional>
#include <string>

namespace cryolite {

enum class LogLevel { Silent, Warning, Info, Debug };

class Log {
public:
    using Sink = std::function<void(LogLevel, const std::string &)>;
    Log() = default;
    Log(LogLevel level, Sink sink) : level_(level), sink_(std::move(sink)) {}

    bool enabled(LogLevel level) const {
        return sink_ && level <= level_ && level != LogLevel::Silent;
    }
    void warning(const std::string &text) const { write(LogLevel::Warning, text); }
    void info(const std::string &text) const { write(LogLevel::Info, text); }
    void debug(const std::string &text) const { write(LogLevel::Debug, text); }

private:
    void write(LogLevel level, const std::string &text) const {
        if (enabled(level)) sink_(level, text);
    }
    LogLevel level_ = LogLevel::Silent;
    Sink sink_;
};

}  // namespace cryolite
