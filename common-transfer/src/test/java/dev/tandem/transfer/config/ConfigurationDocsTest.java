package dev.tandem.transfer.config;

import java.io.IOException;

import org.junit.jupiter.api.Test;

class ConfigurationDocsTest {

    @Test
    void everyPropertyIsDocumentedWithItsDefault() throws IOException {
        ConfigurationDocs.assertComplete("common-transfer");
    }
}
