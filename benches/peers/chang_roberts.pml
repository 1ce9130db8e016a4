/* Chang and Roberts' leader election: the steps of fixtures/models/chang_roberts.m, one by one. An inbox
   is a set of numbers, as bits; so are the machines that have started, and those that lead. The first
   process deals out the numbers, which takes one state more than the model has, and is a machine then. */

#ifndef N
#define N 3
#endif

#define number(k) (1 << (k))
#define next ((_pid + 1) % N)

byte mine[N];
byte inbox[N];
byte started, leader;

inline receive(k) {
  inbox[_pid] & number(k);
  inbox[_pid] = inbox[_pid] & ~number(k);
  if
  :: k > mine[_pid] -> inbox[next] = inbox[next] | number(k)
  :: k == mine[_pid] -> leader = leader | (1 << _pid)
  :: else
  fi
}

inline be_a_machine() {
  do
  :: d_step {
       !(started & (1 << _pid));
       started = started | (1 << _pid);
       inbox[next] = inbox[next] | number(mine[_pid])
     }
  :: d_step { receive(0) }
  :: d_step { receive(1) }
#if N > 2
  :: d_step { receive(2) }
#endif
#if N > 3
  :: d_step { receive(3) }
#endif
#if N > 4
  :: d_step { receive(4) }
#endif
#if N > 5
  :: d_step { receive(5) }
#endif
#if N > 6
  :: d_step { receive(6) }
#endif
#if N > 7
  :: d_step { receive(7) }
#endif
  od
}

proctype machine() { be_a_machine() }

/* Numbers are dealt from the last machine to the first; `started` has those that are given away. */
#define give(k) !(started & number(k)) -> started = started | number(k); mine[leader] = k

init {
  atomic {
    leader = N;
    do
    :: leader > 0 ->
       leader = leader - 1;
       if
       :: give(0)
       :: give(1)
#if N > 2
       :: give(2)
#endif
#if N > 3
       :: give(3)
#endif
#if N > 4
       :: give(4)
#endif
#if N > 5
       :: give(5)
#endif
#if N > 6
       :: give(6)
#endif
#if N > 7
       :: give(7)
#endif
       fi
    :: else -> break
    od;
    do
    :: leader < N - 1 -> leader = leader + 1; run machine()
    :: else -> break
    od;
    started = 0;
    leader = 0
  };
  be_a_machine()
}

#ifdef LIVENESS
ltl elected { <> (leader != 0) }
#endif
