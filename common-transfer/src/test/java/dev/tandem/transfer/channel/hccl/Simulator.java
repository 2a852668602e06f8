package dev.tandem.transfer.channel.hccl;

import java.util.Map;

import com.sun.jna.Library;
import com.sun.jna.NativeLibrary;

import static org.assertj.core.api.Assertions.assertThat;

/** A new one starts with no faults. What the simulator can be told and asked beside the C interface that it simulates; in this process only. */
final class Simulator {

    private final NativeLibrary control;
    private final int aliveBefore;

    Simulator() {
        this.control = NativeLibrary.getInstance(
                SimulatorLibrary.directory().resolve(AclLibrary.FILE).toString(),
                Map.of(Library.OPTION_OPEN_FLAGS, 0x102));
        this.aliveBefore = reset();
    }

    /** Withdraws faults and forgets counts. @return how many communicators, streams and registrations are alive */
    private int reset() {
        return call("hccl_sim_reset");
    }

    /** Nothing was used in a way that the real library does not bear, and nothing new is alive. Withdraws faults. */
    void assertCleanEnd() {
        assertNoMisuse();
        assertThat(reset()).as("left alive").isEqualTo(aliveBefore);
    }

    /** Overrides a variable of the simulator's environment. */
    void set(String name, String value) {
        assertThat(call("hccl_sim_set", name, value)).isZero();
    }

    /** @param nth 1 for the next call, -1 for each; {@code what} is a function's name, or {@code copy} */
    void fail(String what, int nth, int code) {
        assertThat(call("hccl_sim_fail", what, nth, code)).as(what).isZero();
    }

    /** @param what a function's name, {@code copy} or {@code gate} */
    void delay(String what, long millis) {
        assertThat(call("hccl_sim_delay", what, (int) (millis * 1000))).as(what).isZero();
    }

    /** @param nth 1 for the next batch, -1 for each, 0 for none */
    void hangCopy(int nth) {
        assertThat(call("hccl_sim_hang_copy", nth)).isZero();
    }

    /** @param code 0 brings it back */
    void loseDevice(int device, int code) {
        assertThat(call("hccl_sim_lose_device", device, code)).isZero();
    }

    int cutAll() {
        return call("hccl_sim_cut", new Object[] {null});
    }

    long counter(String name) {
        long value = control.getFunction("hccl_sim_counter").invokeLong(new Object[] {name});
        assertThat(value).as(name).isNotNegative();
        return value;
    }

    /** @return how often the library was used in a way that the real one does not bear */
    long misuse() {
        return control.getFunction("hccl_sim_misuse").invokeLong(new Object[] {null});
    }

    String lastMisuse() {
        return control.getFunction("hccl_sim_last_misuse").invokeString(new Object[0], false);
    }

    void assertNoMisuse() {
        assertThat(misuse()).as("misuse: %s", lastMisuse()).isZero();
    }

    private int call(String function, Object... arguments) {
        return control.getFunction(function).invokeInt(arguments);
    }
}
