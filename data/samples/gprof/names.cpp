// Names with blanks, and a function without call counts, for gprof:
//   g++ -O1 -pg -fno-inline -o names names.cpp && ./names && gprof names gmon.out > names.txt
#include <cstdio>

namespace {

volatile double sink;

__attribute__((noinline, no_instrument_function)) void uncounted(int rounds)
{
    for (int round = 0; round < rounds; round++)
        sink = sink + 1.0 / (round + 1);
}

template <typename Left, typename Right> struct Pair {
    Left left;
    Right right;
    __attribute__((noinline)) void operator()(unsigned long rounds) const
    {
        for (unsigned long round = 0; round < rounds; round++)
            sink = sink * 0.5;
    }
};

}  // namespace

int main()
{
    uncounted(20000000);
    Pair<unsigned int, const char *> pair{1, "x"};
    for (int call = 0; call < 3; call++)
        pair(12000000);
    std::printf("%f\n", sink);
}
