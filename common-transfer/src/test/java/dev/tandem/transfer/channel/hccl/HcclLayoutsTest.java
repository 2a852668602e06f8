package dev.tandem.transfer.channel.hccl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.tandem.transfer.channel.hccl.HcclLayouts.CommConfig;
import dev.tandem.transfer.channel.hccl.HcclLayouts.Descriptor;
import dev.tandem.transfer.channel.hccl.HcclLayouts.Memory;
import dev.tandem.transfer.channel.hccl.HcclLayouts.PrepareConfig;

import static org.assertj.core.api.Assertions.assertThat;

class HcclLayoutsTest {

    /** The structures in C, as CANN declares them; the configuration as far as version 5 goes. */
    private static final String STRUCTURES = """
            #include <stddef.h>
            #include <stdint.h>
            #include <stdio.h>
            typedef struct { int32_t type; void *addr; uint64_t size; } HcclMem;
            typedef struct { void *localAddr; void *remoteAddr; uint64_t count; int32_t dataType; } HcclOneSideOpDesc;
            typedef struct { int32_t topoType; uint64_t rsvd0; uint64_t rsvd1; uint64_t rsvd2; } HcclPrepareConfig;
            typedef struct {
                char reserved[24];
                uint32_t bufferSizeMB;
                uint32_t deterministic;
                char commName[128];
                char udi[128];
                uint32_t opExpansionMode;
                uint32_t rdmaTrafficClass;
                uint32_t rdmaServiceLevel;
            } HcclCommConfig;
            typedef struct { uint64_t size; uint32_t magic; uint32_t version; uint64_t zero; } Header;
            #define SIZE(type) printf(#type " %zu\\n", sizeof(type))
            #define AT(type, field) printf(#type "." #field " %zu\\n", offsetof(type, field))
            int main(void) {
                SIZE(HcclMem); AT(HcclMem, type); AT(HcclMem, addr); AT(HcclMem, size);
                SIZE(HcclOneSideOpDesc); AT(HcclOneSideOpDesc, localAddr); AT(HcclOneSideOpDesc, remoteAddr);
                AT(HcclOneSideOpDesc, count); AT(HcclOneSideOpDesc, dataType);
                SIZE(HcclPrepareConfig); AT(HcclPrepareConfig, topoType); AT(HcclPrepareConfig, rsvd0);
                SIZE(HcclCommConfig); AT(HcclCommConfig, bufferSizeMB); AT(HcclCommConfig, deterministic);
                AT(HcclCommConfig, commName); AT(HcclCommConfig, udi); AT(HcclCommConfig, opExpansionMode);
                AT(HcclCommConfig, rdmaTrafficClass); AT(HcclCommConfig, rdmaServiceLevel);
                SIZE(Header); AT(Header, size); AT(Header, magic); AT(Header, version);
                return 0;
            }
            """;

    @Test
    void sizesAndOffsetsAreThoseOfTheCCompiler(@TempDir Path directory) {
        Path program = CCompiler.find().program(directory, "layouts", STRUCTURES);

        assertThat(offsets(CCompiler.run(List.of(program.toString()))))
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        Map.entry("HcclMem", Memory.BYTES),
                        Map.entry("HcclMem.type", Memory.TYPE),
                        Map.entry("HcclMem.addr", Memory.ADDRESS),
                        Map.entry("HcclMem.size", Memory.SIZE),
                        Map.entry("HcclOneSideOpDesc", Descriptor.BYTES),
                        Map.entry("HcclOneSideOpDesc.localAddr", Descriptor.LOCAL),
                        Map.entry("HcclOneSideOpDesc.remoteAddr", Descriptor.REMOTE),
                        Map.entry("HcclOneSideOpDesc.count", Descriptor.COUNT),
                        Map.entry("HcclOneSideOpDesc.dataType", Descriptor.DATA_TYPE),
                        Map.entry("HcclPrepareConfig", PrepareConfig.BYTES),
                        Map.entry("HcclPrepareConfig.topoType", PrepareConfig.TOPOLOGY),
                        Map.entry("HcclPrepareConfig.rsvd0", PrepareConfig.RESERVED),
                        Map.entry("HcclCommConfig", CommConfig.BYTES),
                        Map.entry("HcclCommConfig.bufferSizeMB", CommConfig.BUFFER_MIB),
                        Map.entry("HcclCommConfig.deterministic", CommConfig.DETERMINISTIC),
                        Map.entry("HcclCommConfig.commName", CommConfig.NAME),
                        Map.entry("HcclCommConfig.udi", CommConfig.UDI),
                        Map.entry("HcclCommConfig.opExpansionMode", CommConfig.EXPANSION_MODE),
                        Map.entry("HcclCommConfig.rdmaTrafficClass", CommConfig.TRAFFIC_CLASS),
                        Map.entry("HcclCommConfig.rdmaServiceLevel", CommConfig.SERVICE_LEVEL),
                        Map.entry("Header", 24L),
                        Map.entry("Header.size", CommConfig.SIZE),
                        Map.entry("Header.magic", CommConfig.MAGIC),
                        Map.entry("Header.version", CommConfig.VERSION)));
    }

    @Test
    void communicatorConfigurationSaysItsOwnSizeAndVersion() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment config = CommConfig.of(
                    arena,
                    "pair-1",
                    new HcclSettings.Communicators(3, 132, 4, 8, Duration.ofMinutes(1), Duration.ofSeconds(5)));

            assertThat(config.byteSize()).isEqualTo(300);
            assertThat(config.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(300);
            assertThat(config.get(ValueLayout.JAVA_INT, 8)).isEqualTo(0xF0F0F0F0);
            assertThat(config.get(ValueLayout.JAVA_INT, 12)).isEqualTo(5);
            assertThat(config.get(ValueLayout.JAVA_INT, CommConfig.BUFFER_MIB)).isEqualTo(3);
            assertThat(config.get(ValueLayout.JAVA_INT, CommConfig.DETERMINISTIC))
                    .isEqualTo(-1);
            assertThat(config.getString(CommConfig.NAME)).isEqualTo("pair-1");
            assertThat(config.getString(CommConfig.UDI)).isEmpty();
            assertThat(config.get(ValueLayout.JAVA_INT, CommConfig.EXPANSION_MODE))
                    .isZero();
            assertThat(config.get(ValueLayout.JAVA_INT, CommConfig.TRAFFIC_CLASS))
                    .isEqualTo(132);
            assertThat(config.get(ValueLayout.JAVA_INT, CommConfig.SERVICE_LEVEL))
                    .isEqualTo(4);
        }
    }

    private static Map<String, Long> offsets(String printed) {
        Map<String, Long> offsets = new TreeMap<>();
        printed.lines().map(line -> line.split(" ")).forEach(pair -> offsets.put(pair[0], Long.valueOf(pair[1])));
        return offsets;
    }
}
