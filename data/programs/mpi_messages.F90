! SPDX-License-Identifier: MIT OR Apache-2.0
!
! Two ranks send each other three messages, which are received in the ways that Fortran has, and take part in collective
! calls with arguments that mean nothing on some ranks. Built with -DMODULE=mpi and -DMODULE=mpi_f08 -DIS_TYPED, whose
! bindings reach the MPI library in different ways.
program mpi_messages
    use MODULE
    implicit none

#ifdef IS_TYPED
    type(MPI_Request) :: requests(2)
    type(MPI_Comm) :: pair
    type(MPI_Status) :: status
#else
    integer :: requests(2), pair, status(MPI_STATUS_SIZE)
#endif
    integer :: rank, ranks, other, provided, error, sent, got(3), part(2), parts(4)

    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    if (ranks /= 2) then
        write (0, '(a)') 'usage: two ranks'
        call MPI_Abort(MPI_COMM_WORLD, 2, error)
    end if
    ! Their order in it is not that in the whole.
    call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, pair, error)
    other = rank
    requests = MPI_REQUEST_NULL
    got = 0
    part = rank
    parts = 0

    call MPI_Irecv(got(1), 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, pair, requests(1), error)
    call MPI_Send(rank + 10, 1, MPI_INTEGER, other, 3, pair, error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    sent = rank + 20
    call MPI_Isend(sent, 1, MPI_INTEGER, other, 4, pair, requests(2), error)
    call MPI_Recv(got(2), 1, MPI_INTEGER, MPI_ANY_SOURCE, 4, pair, MPI_STATUS_IGNORE, error)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE, error)
    call MPI_Sendrecv(rank + 30, 1, MPI_INTEGER, other, 5, got(3), 1, MPI_INTEGER, other, MPI_ANY_TAG, pair, status, &
        error)
    if (any(got /= [11, 21, 31] - rank)) then
        write (0, *) 'rank ', rank, ' got ', got
        call MPI_Abort(MPI_COMM_WORLD, 1, error)
    end if

    if (rank == 0) then
        call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, parts, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    else
        call MPI_Gather(part, 2, MPI_INTEGER, parts, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, error)
    end if
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, parts, 2, MPI_INTEGER, MPI_COMM_WORLD, error)
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, parts, 2, MPI_INTEGER, MPI_COMM_WORLD, error)
    call MPI_Finalize(error)
    ! A region that does something: compilers remove empty ones, and the runtime with them.
    part = 0
    !$omp parallel
    !$omp atomic
    part(1) = part(1) + 1
    !$omp end parallel
    if (part(1) < 1) write (0, *) 'rank ', rank, ' has no thread'
end program
