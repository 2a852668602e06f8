package dev.tandem.decode;

import java.io.IOException;

import org.junit.jupiter.api.Test;

import dev.tandem.transfer.config.ConfigurationDocs;

class ConfigurationDocsTest {

    @Test
    void everyPropertyIsDocumentedWithItsDefault() throws IOException {
        ConfigurationDocs.assertComplete("decode-service");
    }
}
