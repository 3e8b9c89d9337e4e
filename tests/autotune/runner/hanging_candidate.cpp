// A library that never lets itself be opened.
#include <unistd.h>

__attribute__((constructor)) static void hang() {
    for (;;) pause();
}
