package dev.tandem.transfer.handover;

import java.util.List;

/** One side's transfers: those under way, and recent ones while their outcome is remembered. */
public interface TransferLog {

    List<TransferView> transfers();
}
