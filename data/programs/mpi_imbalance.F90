! SPDX-License-Identifier: MIT OR Apache-2.0
!
! mpi_imbalance in Fortran: in each step rank 0 computes for LONG milliseconds, the others for SHORT, each with all of
! its threads, and all meet at a barrier. Built with -DMODULE=mpi and -DMODULE=mpi_f08, whose bindings reach the MPI
! library in different ways.
program mpi_imbalance
    use, intrinsic :: iso_c_binding, only: c_int
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use MODULE
    implicit none

    interface
        integer(c_int) function usleep(microseconds) bind(c)
            import :: c_int
            integer(c_int), value :: microseconds
        end function
    end interface

    integer :: longest, shortest, steps, step, rank, ranks, provided, error
    real(real64) :: first, met, last, computing, waiting, finalising

    longest = argument(1, 200)
    shortest = argument(2, 20)
    steps = argument(3, 5)
    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
    first = now()
    computing = 0
    waiting = 0
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    do step = 1, steps
        computing = computing + compute(merge(longest, shortest, rank == 0))
        met = now()
        call MPI_Barrier(MPI_COMM_WORLD, error)
        waiting = waiting + now() - met
    end do
    ! A recorder closes its files in MPI_Finalize, so that this time is not all MPI's.
    last = now()
    call MPI_Finalize(error)
    finalising = now() - last
    write (*, '(a, i0, a, i0, 4(a, f0.6))') 'rank ', rank, ' of ', ranks, ' in seconds: computed ', computing, &
        ', waited ', waiting, ', finalised ', finalising, ', all ', now() - first

contains

    integer function argument(place, otherwise)
        integer, intent(in) :: place, otherwise
        character(len=16) :: text
        integer :: failed
        argument = otherwise
        call get_command_argument(place, text)
        if (text == '') return
        read (text, *, iostat=failed) argument
        if (failed == 0 .and. argument >= 0) return
        write (0, '(a)') 'usage: mpi_imbalance [LONG [SHORT [STEPS]]], milliseconds and a count'
        stop 2
    end function

    ! Seconds; unlike MPI's own clock also when MPI has ended.
    real(real64) function now()
        integer(int64) :: count, rate
        call system_clock(count, rate)
        now = real(count, real64) / real(rate, real64)
    end function

    ! "Computing" sleeps, so that it takes as long whatever else runs on the machine. Returns how long it took, as
    ! the mean over the threads.
    real(real64) function compute(milliseconds)
        use omp_lib, only: omp_get_max_threads
        integer, intent(in) :: milliseconds
        integer(c_int) :: ignored
        real(real64) :: busy, begin
        busy = 0
        !$omp parallel private(begin, ignored) reduction(+ : busy)
        begin = now()
        ignored = usleep(int(1000 * milliseconds, c_int))
        busy = busy + now() - begin
        !$omp end parallel
        compute = busy / omp_get_max_threads()
    end function
end program
