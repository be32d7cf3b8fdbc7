package io.verbena.bench.conformance;

import org.jspecify.annotations.Nullable;

/**
 * What the verbs must do, a row each; the rows of the table in their order. A row without a test fails. A row that names a
 * deviation is not offered, and says why; its tests show what happens instead.
 */
enum Row {
    RESET_MOVES(Section.STATES, "RESET may become RESET, INIT; nothing else"),
    INIT_MOVES(Section.STATES, "INIT may become RESET, ERR, INIT, RTR; nothing else"),
    RTR_MOVES(Section.STATES, "RTR may become RESET, ERR, RTS; nothing else"),
    RTS_MOVES(Section.STATES, "RTS may become RESET, ERR, RTS, SQD; nothing else"),
    SQD_MOVES(Section.STATES, "SQD may become RESET, ERR, RTS, SQD; nothing else"),
    SQE_MOVES(Section.STATES, "SQE (UC, UD) may become RESET, ERR, RTS; nothing else"),
    ERR_MOVES(Section.STATES, "ERR may become RESET, ERR; nothing else"),
    REFUSED_MOVE(Section.STATES, "a refused move changes nothing, and names both states"),
    INIT_TAKES(Section.STATES, "INIT takes access flags (RC, UC), present and none extra"),
    INIT_TAKES_UD(Section.STATES, "INIT takes the Q_Key (UD), present and none extra"),
    RTR_TAKES(Section.STATES, "RTR of RC takes address, MTU, QP, PSN, max_dest_rd_atomic, min_rnr_timer"),
    RTR_TAKES_UC(Section.STATES, "RTR of UC takes address, MTU, QP, PSN alone; of UD nothing"),
    RTS_TAKES(Section.STATES, "RTS of RC takes PSN, timeout, retry_cnt, rnr_retry, max_rd_atomic"),
    RTS_TAKES_UC(Section.STATES, "RTS of UC and UD takes the send PSN alone"),
    ATTRIBUTE_RANGES(Section.STATES, "a value outside its range is refused by name and value"),
    CONNECT(Section.STATES, "connect and activate go from RESET to RTS in one call"),
    INIT_DROPS(Section.STATES, "in INIT packets are dropped"),
    RTR_ANSWERS(Section.STATES, "in RTR requests are answered, sends are refused"),
    SQD_DRAINS(Section.STATES, "SQD finishes what was started and starts nothing; it still answers"),
    SQE_KEEPS_RECEIVING(Section.STATES, "SQE flushes sends and goes on receiving; RTS brings it back"),
    ERR_FLUSHES(Section.STATES, "a move to ERR flushes both queues; the peer is not told"),
    RESET_FORGETS(Section.STATES, "RESET forgets without completions; the QP is of use again"),
    PEERS_MATCH(Section.STATES, "packets of another peer or of a former one are dropped"),
    PSNS_AGREE(Section.STATES, "both sides must agree on the PSN"),

    RC_SEND(Section.OPERATIONS, "RC SEND"),
    RC_SEND_IMMEDIATE(Section.OPERATIONS, "RC SEND with immediate"),
    RC_SEND_INVALIDATE(Section.OPERATIONS, "RC SEND with invalidate"),
    RC_WRITE(Section.OPERATIONS, "RC WRITE"),
    RC_WRITE_IMMEDIATE(Section.OPERATIONS, "RC WRITE with immediate"),
    RC_READ(Section.OPERATIONS, "RC READ"),
    RC_COMPARE_SWAP(Section.OPERATIONS, "RC compare-and-swap"),
    RC_FETCH_ADD(Section.OPERATIONS, "RC fetch-and-add"),
    RC_APPEND(Section.OPERATIONS, "RC APPEND, with and without immediate"),
    UC_SEND(Section.OPERATIONS, "UC SEND, with and without immediate"),
    UC_SEND_INVALIDATE(Section.OPERATIONS, "UC SEND with invalidate"),
    UC_WRITE(Section.OPERATIONS, "UC WRITE, with and without immediate"),
    UC_APPEND(Section.OPERATIONS, "UC APPEND within the MTU"),
    UC_LOSES(
            Section.OPERATIONS, "UC: what is lost or finds no receive is gone and counted; nothing is torn or doubled"),
    UC_REFUSES(Section.OPERATIONS, "UC refuses READ and atomics at post"),
    UD_SEND(Section.OPERATIONS, "UD SEND, with and without immediate, to any peer by address handle"),
    UD_APPEND(Section.OPERATIONS, "UD APPEND within the MTU"),
    UD_REPLIES(Section.OPERATIONS, "UD: the address header names the sender, who can be answered by it"),
    UD_QKEY(Section.OPERATIONS, "UD: a wrong Q_Key is dropped and counted"),
    UD_LOSES(Section.OPERATIONS, "UD: what is lost or finds no receive is gone and counted"),
    UD_REFUSES(Section.OPERATIONS, "UD refuses WRITE, READ, atomics, SEND with invalidate at post"),
    SCATTER_GATHER(Section.OPERATIONS, "scatter and gather, of sends, receives and READs"),
    LOOPBACK(Section.OPERATIONS, "to a QP of the same NIC"),
    BOTH_DIRECTIONS(Section.OPERATIONS, "both directions at once"),

    LIST_STOPS(Section.POSTING, "a list stops at the first bad request, the earlier ones stand"),
    EXTENDED_POSTING(Section.POSTING, "start, complete and abort: all of a batch or nothing"),
    QUEUE_FULL(Section.POSTING, "a full send or receive queue is a return value"),
    TOO_MANY_ENTRIES(Section.POSTING, "too many scatter entries are refused at post"),
    WRONG_STATE(Section.POSTING, "a post in a wrong state is refused"),
    POST_IN_ERR(Section.POSTING, "in ERR a post is accepted and flushed"),
    SRQ_QP_REFUSES(Section.POSTING, "a QP on an SRQ refuses receives of its own"),

    UNSIGNALED(Section.FLAGS, "unsignaled success makes no completion, any error does"),
    FENCE(Section.FLAGS, "FENCE waits for earlier READs and atomics"),
    SOLICITED(Section.FLAGS, "SOLICITED counts on SEND and WRITE with immediate, at the last packet"),
    INLINE(Section.FLAGS, "INLINE: the buffer may be reused on return, no key is looked at, too long is refused"),

    SEND_ORDER(Section.ORDERING, "send completions come in the order of posting"),
    RECEIVE_ORDER(Section.ORDERING, "RC receives are first in, first out"),
    WRITE_BEFORE_SEND(Section.ORDERING, "bytes of a WRITE are there before a later SEND completes"),
    ASCENDING_BYTES(Section.ORDERING, "bytes are placed in ascending order, the last one last"),

    ZERO_LENGTH_ONE_SIDED(Section.LIMITS, "zero-length WRITE and READ look at no key"),
    ZERO_LENGTH_SEND(Section.LIMITS, "a zero-length SEND still consumes a receive"),
    LARGEST_MESSAGE(Section.LIMITS, "a message of 2^31 - 1 bytes; more is refused at post"),
    UD_LARGEST(Section.LIMITS, "UD up to the MTU, above LOC_LEN_ERR"),
    UD_HEADER_ROOM(Section.LIMITS, "UD receives leave 40 bytes for the address header"),

    SUCCESS(Section.STATUS, "SUCCESS: done, once, at the peer"),
    LOC_LEN_ERR_RECEIVE(Section.STATUS, "LOC_LEN_ERR: receive too short; the sender gets REM_INV_REQ_ERR"),
    LOC_LEN_ERR_ATOMIC(Section.STATUS, "LOC_LEN_ERR: the result of an atomic is not 8 bytes"),
    LOC_QP_OP_ERR(Section.STATUS, "LOC_QP_OP_ERR: inconsistent with the QP, bad address handle or local invalidate"),
    LOC_PROT_ERR(Section.STATUS, "LOC_PROT_ERR: local key, PD, range or permission"),
    REM_OP_ERR(Section.STATUS, "REM_OP_ERR: the peer's receive was itself bad"),
    REM_ACCESS_ERR(Section.STATUS, "REM_ACCESS_ERR: remote key, PD, range or permission"),
    REM_INV_REQ_ERR_ATOMIC(Section.STATUS, "REM_INV_REQ_ERR: misaligned atomic"),
    REM_INV_REQ_ERR_ACCESS(Section.STATUS, "REM_INV_REQ_ERR: operation not enabled on the peer's QP"),
    REM_INV_REQ_ERR_APPEND(Section.STATUS, "REM_INV_REQ_ERR: append longer than the queue's limit"),
    REM_INV_REQ_ERR_WIRE(Section.STATUS, "REM_INV_REQ_ERR: lengths and opcode sequences that no correct peer sends"),
    LOC_ACCESS_ERR(Section.STATUS, "LOC_ACCESS_ERR: the receive that a bad WRITE with immediate consumed"),
    MW_BIND_ERR(Section.STATUS, "MW_BIND_ERR: bad memory-window bind"),
    RETRY_EXC_ERR(Section.STATUS, "RETRY_EXC_ERR: no acknowledgement within retry_cnt"),
    RNR_RETRY_EXC_ERR(Section.STATUS, "RNR_RETRY_EXC_ERR: receiver not ready within rnr_retry"),
    BAD_RESP_ERR(Section.STATUS, "BAD_RESP_ERR: an answer that fits no request"),
    WR_FLUSH_ERR(Section.STATUS, "WR_FLUSH_ERR: everything behind the first error, in order, both queues"),
    FATAL_ERR(
            Section.STATUS,
            "FATAL_ERR, GENERAL_ERR: the NIC itself",
            "a NIC in software shares the fate of its process: there is no card that fails alone, so neither is reported"),
    ERROR_FIELDS(Section.STATUS, "with an error wr_id, status, QP number and vendor error are valid"),
    LOCAL_ERROR_PEER(Section.STATUS, "a local error leaves the peer in RTS"),
    NAK_BOTH(Section.STATUS, "a NAK puts both in ERR"),
    BOTH_KEYS_WRITE(Section.STATUS, "both keys bad: WRITE reports the local one"),
    BOTH_KEYS_READ(Section.STATUS, "both keys bad: READ reports the remote one"),
    BOTH_KEYS_ATOMIC(Section.STATUS, "both keys bad: an atomic reports the remote one"),
    EARLIER_STAND(Section.STATUS, "what was posted before a bad request is done, and said to be"),
    LAYOUT_UNTOUCHED(Section.STATUS, "where a request fails, memory outside what it names is untouched"),

    ACK_TIMEOUT(Section.RETRIES, "the acknowledgement timeout is 4.096 us x 2^t, times 1 + retry_cnt in all"),
    TIMEOUT_ZERO(Section.RETRIES, "timeout 0 is for ever"),
    RNR_DELAY(Section.RETRIES, "the RNR delay is the responder's: 0 is 655.36 ms, 1 is 0.01 ms ... 31 is 491.52 ms"),
    RNR_FOREVER(Section.RETRIES, "rnr_retry 7 is for ever"),
    RETRIES_RESTART(Section.RETRIES, "the counters start again on progress"),
    LOST_REQUEST(Section.RETRIES, "a lost packet is sent again: each verb, each position"),
    LOST_ANSWER(Section.RETRIES, "a lost answer: the request is repeated and not executed again"),
    REORDERED(Section.RETRIES, "packets out of order end in the right bytes, once"),
    REPEATED(Section.RETRIES, "packets that come twice are executed once"),
    CUT_SHORTER(Section.RETRIES, "cut off for less than the budget: all done, every byte right, nothing twice"),
    CUT_LONGER(Section.RETRIES, "cut off for more than the budget: RETRY_EXC_ERR, then flushes"),
    PAUSED_PEER(Section.RETRIES, "a peer that stands still is ridden out within the budget"),
    SLOW_MEDIUM(Section.RETRIES, "the timeout does not run while the peer makes progress"),
    PSN_WRAP(Section.RETRIES, "PSNs wrap around in the middle of a message"),
    FULL_WINDOW(Section.RETRIES, "a link without room delays and loses nothing, acknowledgements neither"),

    LINK_RESUMES(Section.LINKS, "a link that breaks and comes back resumes; nothing is lost or done twice"),
    LINK_GONE(Section.LINKS, "a link that does not come back fails after the budget"),
    DEAD_PEER(Section.LINKS, "a peer whose process is known dead fails at once"),

    SRQ_SHARED(Section.SRQ, "several QPs take their receives from one queue"),
    SRQ_LIMIT_EVENT(Section.SRQ, "limit event once when the count falls below the limit; armed again by modify"),
    SRQ_NOT_FLUSHED(Section.SRQ, "a QP going to ERR does not flush it and raises LAST_WQE_REACHED"),
    SRQ_DOMAIN(Section.SRQ, "receive regions must belong to its PD"),
    SRQ_TRANSPORTS(Section.SRQ, "RC and UD only"),
    SRQ_RESIZE(Section.SRQ, "resize, not below what is posted"),
    SRQ_BUSY(Section.SRQ, "destroy with QPs attached: EBUSY"),

    AQ_LIFE(Section.APPEND, "create, query, destroy (RIMA, Table 3)"),
    AQ_MODIFY(
            Section.APPEND,
            "modify",
            "limits are fixed at creation: producers with a direct path read them without a lock"),
    AQ_SIZES(Section.APPEND, "any size up to the limit, mixed freely; nothing pre-posted"),
    AQ_SENDERS(Section.APPEND, "from any QP of any peer; records of one sender keep its order"),
    AQ_ONCE(Section.APPEND, "exactly once on RC, whatever is lost or repeated"),
    AQ_FULL(Section.APPEND, "no space: RNR, then RNR_RETRY_EXC_ERR; nothing is overwritten"),
    AQ_WRONG_NAME(Section.APPEND, "wrong queue id, key or length: NAK, the queue is untouched"),
    AQ_HALF(Section.APPEND, "an append that is half received is undone"),
    AQ_WATERMARK_CROSSED(Section.APPEND, "watermark crossings, footprint and depth by query"),
    AQ_SHRINKS(Section.APPEND, "shrinks on drain, and starts at the top when empty"),
    AQ_BUSY(Section.APPEND, "destroy with records unread: EBUSY unless forced"),

    CQ_DEPTH(Section.CQ, "depth from 1 to the maximum, else refused"),
    CQ_RESIZE(Section.CQ, "resize, not below the backlog"),
    CQ_OVERRUN(Section.CQ, "overrun puts it in error and is an event"),
    CQ_BUSY(Section.CQ, "destroy with QPs attached: EBUSY"),
    CQ_ONE_SHOT(Section.CQ, "notification is one-shot; entries already there do not fire"),
    CQ_ANY(Section.CQ, "ANY is not weakened by a later SOLICITED request"),
    CQ_ERRORS_SOLICITED(Section.CQ, "errors count as solicited"),
    CQ_ACKNOWLEDGED(Section.CQ, "events are acknowledged; destroy waits for them"),
    CQ_POLL(Section.CQ, "poll works on a cursor, and fills an array for convenience"),

    MR_PERMISSIONS(Section.MEMORY, "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE; local read is implied"),
    MR_REREGISTER(Section.MEMORY, "reregister access, PD and range"),
    MR_WINDOW_BUSY(Section.MEMORY, "deregister with a bound window: EBUSY"),
    MR_DEREGISTERED(Section.MEMORY, "a deregistered key is of no use at once, nor to whoever comes by it later"),
    PD_BUSY(Section.MEMORY, "destroy of a PD that is referenced: EBUSY"),
    MW_TYPE_1(Section.MEMORY, "windows of type 1 by call"),
    MW_TYPE_2(Section.MEMORY, "windows of type 2 by request"),
    MW_INVALIDATE(Section.MEMORY, "windows of type 2 are invalidated locally or by SEND with invalidate"),
    MW_RANGE(Section.MEMORY, "the window's own range and rights are enforced, not the region's"),

    ATOMIC_ALIGNED(Section.ATOMICS, "8-byte aligned, return the original value"),
    ATOMIC_AMONG_QPS(Section.ATOMICS, "atomic among all QPs of the NIC"),
    ATOMIC_WITH_CPU(Section.ATOMICS, "atomic with the CPU"),
    RD_ATOMIC_LIMIT(Section.ATOMICS, "the initiator holds back at max_rd_atomic"),
    DEST_RD_ATOMIC_ZERO(Section.ATOMICS, "max_dest_rd_atomic 0 refuses"),
    ATOMIC_DUPLICATE(Section.ATOMICS, "a duplicate is answered from the saved value and not executed again"),

    EV_QP_FATAL(Section.EVENTS, "QP_FATAL"),
    EV_QP_REQ_ERR(Section.EVENTS, "QP_REQ_ERR, at the responder"),
    EV_QP_ACCESS_ERR(Section.EVENTS, "QP_ACCESS_ERR, at the responder"),
    EV_COMM_EST(Section.EVENTS, "COMM_EST"),
    EV_SQ_DRAINED(Section.EVENTS, "SQ_DRAINED"),
    EV_LAST_WQE_REACHED(Section.EVENTS, "LAST_WQE_REACHED"),
    EV_CQ_ERR(Section.EVENTS, "CQ_ERR"),
    EV_SRQ_ERR(
            Section.EVENTS,
            "SRQ_ERR",
            "a shared receive queue is memory of this process: nothing can fail in it alone"),
    EV_SRQ_LIMIT(Section.EVENTS, "SRQ_LIMIT"),
    EV_AQ_WATERMARK(Section.EVENTS, "AQ_WATERMARK"),
    EV_PORT_ACTIVE(Section.EVENTS, "PORT_ACTIVE"),
    EV_PORT_ERR(Section.EVENTS, "PORT_ERR"),
    EV_DEVICE_FATAL(
            Section.EVENTS,
            "DEVICE_FATAL",
            "a NIC in software shares the fate of its process: there is no card that fails alone"),
    EV_ACKNOWLEDGED(Section.EVENTS, "each is acknowledged; destroying an object waits for its unacknowledged events"),

    NOT_SEVEN_FOREVER(Section.MISTAKES, "a retry counter of 7 is seven, not for ever"),
    NOT_PARENT_RANGE(Section.MISTAKES, "a window check does not look at the parent region's range"),
    NOT_WRAPPING(Section.MISTAKES, "a bounds check does not wrap around in 64 bits"),
    NOT_RESETTING_SEQUENCE(
            Section.MISTAKES, "a duplicate READ in the middle of a WRITE leaves the opcode sequence alone"),
    NOT_INTO_DESTROYED(Section.MISTAKES, "a timer does not fire into a destroyed QP"),
    NOT_IN_RESET(Section.MISTAKES, "post_recv is refused in RESET"),
    NOT_INTERLEAVED(Section.MISTAKES, "a duplicate of an older message does not disturb one of several packets"),
    NOT_ACKED(Section.MISTAKES, "an ACK for a PSN never sent completes nothing");

    final Section section;
    final String text;
    final @Nullable String notOffered;

    Row(Section section, String text) {
        this(section, text, null);
    }

    Row(Section section, String text, @Nullable String notOffered) {
        this.section = section;
        this.text = text;
        this.notOffered = notOffered;
    }
}
