package dev.tandem.transfer.admin;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The bearer token of the admin endpoints. Never shown but once, when it had to be made up. */
public final class AdminToken {

    private static final Logger log = LoggerFactory.getLogger(AdminToken.class);

    private final byte[] token;

    private AdminToken(String token) {
        this.token = token.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The configured token, that of the file, or a random one.
     *
     * @param configured empty if none
     * @param file empty if none
     * @throws IllegalArgumentException naming the property when the file cannot be read or is empty
     */
    public static AdminToken of(String configured, String file) {
        if (!configured.isEmpty()) {
            return new AdminToken(configured);
        }
        return file.isEmpty() ? generated() : new AdminToken(read(file));
    }

    private static String read(String file) {
        try {
            String token = Files.readString(Path.of(file)).strip();
            if (token.isEmpty()) {
                throw new IllegalArgumentException("tandem.admin.token-file: %s is empty".formatted(file));
            }
            return token;
        } catch (IOException e) {
            throw new IllegalArgumentException("tandem.admin.token-file: %s cannot be read".formatted(file), e);
        }
    }

    private static AdminToken generated() {
        var bytes = new byte[24];
        new SecureRandom().nextBytes(bytes);
        String token = HexFormat.of().formatHex(bytes);
        log.info("admin token, since tandem.admin.token is not set: {}", token);
        return new AdminToken(token);
    }

    /** Compares in constant time. */
    boolean matches(String shown) {
        return MessageDigest.isEqual(token, shown.getBytes(StandardCharsets.UTF_8));
    }
}
