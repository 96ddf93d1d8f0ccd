// Compiles only if the recorder's bindings agree with the header.
#include <omp-tools.h>
#include <stddef.h>

#define SAME(a, b) _Static_assert((a) == (b), #a)

SAME(ompt_callback_thread_begin, 1);
SAME(ompt_callback_thread_end, 2);
SAME(ompt_callback_parallel_begin, 3);
SAME(ompt_callback_parallel_end, 4);
SAME(ompt_callback_task_create, 5);
SAME(ompt_callback_task_schedule, 6);
SAME(ompt_callback_implicit_task, 7);
SAME(ompt_callback_sync_region_wait, 16);
SAME(ompt_callback_mutex_released, 17);
SAME(ompt_callback_dependences, 18);
SAME(ompt_callback_task_dependence, 19);
SAME(ompt_callback_work, 20);
SAME(ompt_callback_masked, 21);
SAME(ompt_callback_sync_region, 23);
SAME(ompt_callback_mutex_acquire, 26);
SAME(ompt_callback_mutex_acquired, 27);
SAME(ompt_callback_nest_lock, 28);
SAME(ompt_callback_cancel, 30);
SAME(ompt_callback_reduction, 31);
SAME(ompt_callback_dispatch, 32);
SAME(ompt_scope_begin, 1);
SAME(ompt_scope_end, 2);
SAME(ompt_scope_beginend, 3);
SAME(ompt_task_complete, 1);
SAME(ompt_task_switch, 7);
SAME(ompt_dispatch_ws_loop_chunk, 3);
SAME(ompt_dispatch_distribute_chunk, 5);
SAME(ompt_task_explicit, 4);
SAME(ompt_task_undeferred, 0x08000000);
SAME(sizeof(ompt_data_t), 8);
SAME(sizeof(ompt_start_tool_result_t), 24);
SAME(offsetof(ompt_start_tool_result_t, tool_data), 16);
SAME(sizeof(ompt_dependence_t), 16);
SAME(offsetof(ompt_dependence_t, dependence_type), 8);
SAME(sizeof(ompt_dispatch_chunk_t), 16);
SAME(offsetof(ompt_dispatch_chunk_t, iterations), 8);

int main(void) {
    return 0;
}
