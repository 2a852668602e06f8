package dev.tandem.transfer.config;

import java.net.InetAddress;
import java.net.UnknownHostException;

import jakarta.validation.constraints.NotBlank;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Where this node is.
 *
 * @param host Name or address under which other nodes reach this one; goes out in every handshake.
 * @param bindAddress Address the handshake, allocation, KV-ready and data ports listen on; 0.0.0.0 or :: for all.
 */
@Validated
@ConfigurationProperties("tandem")
public record NodeProperties(
        @NotBlank @DefaultValue("127.0.0.1") String host,
        @NotBlank @DefaultValue("127.0.0.1") String bindAddress) {

    public NodeProperties {
        InetAddress advertised = resolve("tandem.host", host);
        InetAddress bound = resolve("tandem.bind-address", bindAddress);
        if (advertised.isAnyLocalAddress()) {
            throw new IllegalArgumentException(
                    "tandem.host: %s is no address that others can reach; name this node's own".formatted(host));
        }
        if (advertised.isLoopbackAddress() && !bound.isLoopbackAddress()) {
            throw new IllegalArgumentException(
                    "tandem.host: %s is a loopback address though tandem.bind-address is %s; name the address that others reach"
                            .formatted(host, bindAddress));
        }
    }

    private static InetAddress resolve(String property, String value) {
        try {
            return InetAddress.getByName(value);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("%s: %s cannot be resolved".formatted(property, value), e);
        }
    }
}
